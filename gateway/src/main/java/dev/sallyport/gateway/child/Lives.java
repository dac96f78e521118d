package dev.sallyport.gateway.child;

import dev.sallyport.gateway.door.Command;
import dev.sallyport.gateway.door.Occupant;
import dev.sallyport.gateway.door.Occupants;
import dev.sallyport.gateway.error.GatewayException.SteeredTooOften;
import dev.sallyport.identity.ChildId;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataAccessException;

/** All children that live on this gateway, each led by a thread of its own. */
public final class Lives implements Occupants, AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(Lives.class);

    private final Surroundings with;
    private final Remains remains;
    private final Supplier<Delegating> delegating;
    private final Signal places = new Signal();
    private final Map<ChildId, Held> held = new ConcurrentHashMap<>();

    /** @param delegating of children that have children; made from these lives, and so after them */
    Lives(Surroundings with, Remains remains, Supplier<Delegating> delegating) {
        this.with = with;
        this.delegating = delegating;
        this.remains = remains;
        with.metrics()
                .watch(state -> held.values().stream()
                        .filter(child -> child.live.state() == state)
                        .count());
    }

    /** Begins, or after a restart continues, the life of a child that has not ended. */
    void lead(Child child) {
        LiveChild live = new LiveChild(child, with.children());
        if (held.putIfAbsent(child.id(), new Held(live)) != null) {
            return;
        }
        Life life = new Life(live, with, remains, places, () -> {
            held.remove(child.id());
            live.news().raise();
            try {
                endOrphans();
            } catch (DataAccessException e) {
                log.warn("children of {}: {}; the next sweep ends them", child.id(), e.getMessage());
            }
        });
        Thread.ofVirtual().name("child-" + child.id()).start(life);
    }

    Optional<LiveChild> find(ChildId child) {
        return Optional.ofNullable(held.get(child)).map(one -> one.live);
    }

    @Override
    public Optional<Occupant> live(ChildId child, int incarnation) {
        Held one = held.get(child);
        if (one == null || !one.live.doorServes() || one.live.child().incarnation() != incarnation) {
            return Optional.empty();
        }
        return Optional.of(one.atDoor());
    }

    /** Ends the child at once. @return false if its end was decided already */
    boolean cancel(LiveChild live, String reason) {
        return end(live, EndReason.CANCELLED, reason);
    }

    private boolean end(LiveChild live, EndReason why, String reason) {
        boolean decided = live.decide(new Ending(why, reason));
        if (decided) {
            // Courtesy: its sandbox is removed whether it hears of it or not.
            with.timeline()
                    .command(
                            live.child().sandbox(),
                            Command.Type.CANCEL,
                            with.json().createObjectNode().put("reason", reason));
            live.orders().raise();
        }
        return decided;
    }

    /** Whoever is left by a parent that has ended, ends too (authority.md 11.8). */
    void endOrphans() {
        with.children()
                .orphans()
                .forEach((orphan, parent) -> find(orphan)
                        .ifPresent(live ->
                                end(live, EndReason.PARENT_ENDED, "its parent %s has ended".formatted(parent))));
    }

    /** @throws SteeredTooOften if the child was sent as many messages as it may be */
    void steer(LiveChild live, String author, String message) {
        ChildId child = live.child().id();
        Held one = held.get(child);
        Duration wait = one == null ? Duration.ZERO : one.steering.tryTake();
        if (!wait.isZero()) {
            throw new SteeredTooOften(child, with.settings().steersPerMinute(), wait);
        }
        with.timeline()
                .command(
                        live.child().sandbox(),
                        Command.Type.STEER,
                        with.json().createObjectNode().put("author", author).put("message", message));
        with.timeline()
                .fact(
                        live.child().id(),
                        "steer",
                        with.json().createObjectNode().put("author", author).put("message", message));
        live.orders().raise();
        live.news().raise();
    }

    /** Ends whoever is past a deadline. Called several times a second. */
    void tick() {
        Instant now = with.clock().instant();
        for (Held one : held.values()) {
            LiveChild live = one.live;
            live.forgetAskedBefore(now);
            live.deadline()
                    .filter(deadline -> !now.isBefore(deadline.at()))
                    .ifPresent(deadline ->
                            live.decide(new Ending(deadline.reason(), overdue(live.child(), deadline.reason()))));
        }
    }

    private String overdue(Child child, EndReason reason) {
        Duration limit = reason == EndReason.WALL_CLOCK
                ? child.terms().limits().wall()
                : with.settings().prepare();
        String what = switch (reason) {
            case WALL_CLOCK -> "it reached its time limit";
            case EVIDENCE_MISSING -> "its runner did not say what is active in it within its time";
            default -> "it could not be started in time";
        };
        return "%s of %d s".formatted(what, limit.toSeconds());
    }

    /** The backend does not answer any more. */
    void lose(String message) {
        held.values().forEach(one -> one.live.decide(new Ending(EndReason.ENGINE_UNAVAILABLE, message)));
    }

    /** Lets go of all children without ending them: the next gateway adopts them. */
    @Override
    public void close() {
        held.values().forEach(one -> one.live.abandon());
    }

    private final class Held {

        private final LiveChild live;
        private final Rate steering = new Rate(
                with.settings().steersPerMinute(),
                Duration.ofMinutes(1),
                () -> TimeUnit.MILLISECONDS.toNanos(with.clock().millis()));
        private @Nullable ChildAtDoor atDoor;

        private Held(LiveChild live) {
            this.live = live;
        }

        /** One for each incarnation, so that a new one starts with nothing of the old. */
        private synchronized ChildAtDoor atDoor() {
            ChildAtDoor current = atDoor;
            if (current == null || current.incarnation() != live.child().incarnation()) {
                current = new ChildAtDoor(
                        live,
                        new Reports(
                                live,
                                with.children(),
                                with.timeline(),
                                with.settings().events(),
                                with.metrics(),
                                with.json()),
                        new Authorizer(
                                live,
                                with.permissions(),
                                with.timeline(),
                                with.metrics(),
                                with.settings().permission(),
                                with.clock(),
                                with.json()),
                        delegating.get(),
                        with.clones(),
                        with.remembering(),
                        with.children(),
                        with.ledger(),
                        with.timeline(),
                        with.json());
                atDoor = current;
            }
            return current;
        }
    }
}
