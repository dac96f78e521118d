package dev.sallyport.delegation;

import dev.sallyport.delegation.Member.Order;
import dev.sallyport.prompt.Mention;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * All agents of one session and what becomes of them (authority.md 11). Nothing happens in here: each step answers with the
 * next crew and with what somebody has to do about it.
 *
 * @param members by id, in the order of their spawns
 * @param queue ids, first come first served; who is not queued any more is skipped
 * @param graves of forgotten agents that can be resumed; their names stay taken
 */
public record Crew(int slots, Map<String, Member> members, List<String> queue, List<Grave> graves) {

    public static final int DEFAULT_SLOTS = 10;

    /** How long an agent that has ended is remembered, and how often is looked for those to forget. */
    public static final Duration REMEMBERED = Duration.ofMinutes(10);

    public static final Duration SWEEPS = Duration.ofMinutes(1);

    private static final int MOST_GRAVES = 100;

    public Crew {
        members = Collections.unmodifiableMap(new LinkedHashMap<>(members));
        queue = List.copyOf(queue);
        graves = List.copyOf(graves);
    }

    public static Crew of(int slots) {
        return new Crew(Math.max(1, slots), Map.of(), List.of(), List.of());
    }

    /** A forgotten agent whose conversation can be taken up again. */
    public record Grave(String id, String handle, @Nullable String alias, String sessionFile) {}

    /** What somebody has to do. */
    public sealed interface Effect {

        record Start(String agent) implements Effect {}

        /** Breaks off a run that has not come back. */
        record Stop(String agent) implements Effect {}

        record Steer(String agent, String message) implements Effect {}

        /** Tells whoever asked how it ended. */
        record Complete(String agent, Status status) implements Effect {}

        /** Its conversation is closed for good. */
        record Dispose(String agent) implements Effect {}
    }

    /**
     * An answer.
     *
     * @param done whether what was asked for applied
     */
    public record Step(Crew crew, boolean done, List<Effect> effects) {

        public Step {
            effects = List.copyOf(effects);
        }
    }

    public Optional<Member> member(String id) {
        return Optional.ofNullable(members.get(id));
    }

    /** Starts an agent, or puts it into the queue if no slot is free. */
    public Step spawn(Order order) {
        String handle = null;
        String alias = null;
        if (order.parent() == null) {
            Set<String> taken = names();
            handle = Mention.assign(Mention.base(order.type()), taken);
            taken.add(handle);
            alias = order.name() == null ? null : Mention.assign(Mention.base(order.name()), taken);
        }
        Draft draft = new Draft(this);
        draft.put(Member.of(order, handle, alias));
        draft.startOrQueue(order.id(), order.bypassQueue());
        return draft.step(true);
    }

    private Set<String> names() {
        Set<String> names = new HashSet<>();
        members.values().forEach(member -> addNames(names, member.handle(), member.alias()));
        graves.forEach(grave -> addNames(names, grave.handle(), grave.alias()));
        return names;
    }

    private static void addNames(Set<String> names, @Nullable String handle, @Nullable String alias) {
        if (handle != null) {
            names.add(handle);
        }
        if (alias != null) {
            names.add(alias);
        }
    }

    /** Its run came back. */
    public Step finish(String id, Run run, Instant now) {
        return settle(id, run.status(), run.text(), run.failure(), now);
    }

    /** Its run broke down. */
    public Step fail(String id, String error, Instant now) {
        return settle(id, Status.ERROR, null, error, now);
    }

    private Step settle(String id, Status outcome, @Nullable String text, @Nullable String error, Instant now) {
        Member member = members.get(id);
        if (member == null || !member.inFlight()) {
            return unchanged();
        }
        Draft draft = new Draft(this);
        draft.put(member.settled(outcome, text, error, now));
        // Grandchildren follow when their own parent settles.
        orphans(id, members.values()).forEach(orphan -> draft.stop(orphan, now));
        draft.effects.add(new Effect.Complete(id, draft.get(id).status()));
        draft.drain();
        return draft.step(true);
    }

    /** The agents that end because this one did: its own children that are not over. */
    private static List<Member> orphans(String parent, Iterable<Member> members) {
        List<Member> orphans = new ArrayList<>();
        for (Member member : members) {
            if (parent.equals(member.parent()) && member.status().isLive()) {
                orphans.add(member);
            }
        }
        return orphans;
    }

    /** Ends one; its children go on until its run has come back. One that was queued is never reported as complete. */
    public Step abort(String id, Instant now) {
        Member member = members.get(id);
        if (member == null || !member.status().isLive()) {
            return unchanged();
        }
        Draft draft = new Draft(this);
        draft.stop(member, now);
        return draft.step(true);
    }

    /** Ends all. */
    public Step abortAll(Instant now) {
        return abort(members.values().stream().toList(), now);
    }

    /** The call that started agents in the foreground was broken off. */
    public Step signalled(Instant now) {
        return abort(members.values().stream().filter(Member::followsSignal).toList(), now);
    }

    private Step abort(List<Member> some, Instant now) {
        Draft draft = new Draft(this);
        some.stream().filter(member -> member.status().isLive()).forEach(member -> draft.stop(member, now));
        return draft.step(true);
    }

    /** Delivers a message, now or as soon as there is a conversation. */
    public Step steer(String id, String message) {
        Member member = members.get(id);
        if (member == null || !member.status().isLive()) {
            return unchanged();
        }
        Draft draft = new Draft(this);
        if (member.hasSession()) {
            draft.effects.add(new Effect.Steer(id, message));
        } else {
            draft.put(member.steered(message));
        }
        return draft.step(true);
    }

    /** Its conversation has begun, and is kept in that file if there is one. */
    public Step session(String id, @Nullable String file) {
        Member member = members.get(id);
        if (member == null) {
            return unchanged();
        }
        Draft draft = new Draft(this);
        draft.put(member.session(file));
        member.pendingSteers().forEach(message -> draft.effects.add(new Effect.Steer(id, message)));
        return draft.step(true);
    }

    /** Takes up the conversation of one that has ended, in the background. */
    public Step resume(String id) {
        Member member = members.get(id);
        if (member == null || !member.hasSession() || member.status().isLive() || member.inFlight()) {
            return unchanged();
        }
        Draft draft = new Draft(this);
        draft.put(member.queued());
        draft.startOrQueue(id, false);
        return draft.step(true);
    }

    /** Changes the size of the pool, at least 1: a larger one is filled at once, a smaller one stops nobody. */
    public Step resize(int newSlots) {
        Draft draft = new Draft(new Crew(Math.max(1, newSlots), members, queue, graves));
        draft.drain();
        return draft.step(true);
    }

    /** Somebody has its result. */
    public Step read(String id) {
        Draft draft = new Draft(this);
        member(id).ifPresent(member -> draft.put(member.read()));
        return draft.step(true);
    }

    /** Forgets whoever ended longer ago than {@link #REMEMBERED}. */
    public Step evict(Instant now) {
        Instant limit = now.minus(REMEMBERED);
        Draft draft = new Draft(this);
        for (Member member : members.values()) {
            Instant ended = member.completedAt();
            if (!member.status().isLive() && ended != null && ended.isBefore(limit)) {
                draft.bury(member);
            }
        }
        return draft.step(true);
    }

    /** Forgets all that have ended, and all graves; results that nobody has read may be spared. */
    public Step clear(boolean keepUnread) {
        Draft draft = new Draft(this);
        for (Member member : members.values()) {
            if (!member.status().isLive() && !(keepUnread && !member.consumed())) {
                draft.bury(member);
            }
        }
        draft.graves.clear();
        return draft.step(true);
    }

    /** Whom a name means: who is still there, else who can be resumed. */
    public sealed interface Found {

        record Live(String id) implements Found {}

        record Buried(Grave grave) implements Found {}
    }

    /** By handle, alias or id; those that run before those that have ended, of these the last. */
    public Optional<Found> named(String name) {
        Member found = null;
        for (Member member : members.values()) {
            boolean named = name.equalsIgnoreCase(member.handle()) || name.equalsIgnoreCase(member.alias());
            if (named
                    && (found == null
                            || member.status().isLive()
                            || !found.status().isLive())) {
                found = member;
            }
        }
        if (found != null) {
            return Optional.of(new Found.Live(found.id()));
        }
        return graves.stream()
                .filter(grave -> name.equalsIgnoreCase(grave.handle()) || name.equalsIgnoreCase(grave.alias()))
                .findFirst()
                .map(Found.Buried::new);
    }

    private Step unchanged() {
        return new Step(this, false, List.of());
    }

    /** The next crew while it is worked out. */
    private static final class Draft {

        private final int slots;
        private final Map<String, Member> members;
        private final List<String> queue;
        private final List<Grave> graves;
        private final List<Effect> effects = new ArrayList<>();

        Draft(Crew crew) {
            this.slots = crew.slots;
            this.members = new LinkedHashMap<>(crew.members);
            this.queue = new ArrayList<>(crew.queue);
            this.graves = new ArrayList<>(crew.graves);
        }

        Member get(String id) {
            Member member = members.get(id);
            if (member == null) {
                throw new IllegalArgumentException("no agent " + id);
            }
            return member;
        }

        void put(Member member) {
            members.put(member.id(), member);
        }

        void startOrQueue(String id, boolean bypassQueue) {
            if (get(id).pooled() && !bypassQueue && occupied() >= slots) {
                queue.add(id);
            } else {
                start(id);
            }
        }

        void start(String id) {
            change(id, Member::started);
            effects.add(new Effect.Start(id));
        }

        /** A run that was stopped holds its slot until it has come back. */
        private long occupied() {
            return members.values().stream()
                    .filter(member -> member.pooled() && member.inFlight())
                    .count();
        }

        void drain() {
            while (!queue.isEmpty() && occupied() < slots) {
                start(queue.removeFirst());
            }
        }

        void stop(Member member, Instant now) {
            queue.remove(member.id());
            if (member.inFlight()) {
                effects.add(new Effect.Stop(member.id()));
            }
            change(member.id(), running -> running.stopped(now));
        }

        void bury(Member member) {
            members.remove(member.id());
            if (member.hasSession()) {
                effects.add(new Effect.Dispose(member.id()));
            }
            String handle = member.handle();
            String file = member.sessionFile();
            if (handle != null && file != null) {
                graves.add(new Grave(member.id(), handle, member.alias(), file));
                if (graves.size() > MOST_GRAVES) {
                    graves.removeFirst();
                }
            }
        }

        private void change(String id, UnaryOperator<Member> change) {
            put(change.apply(get(id)));
        }

        Step step(boolean done) {
            return new Step(new Crew(slots, members, queue, graves), done, effects);
        }
    }
}
