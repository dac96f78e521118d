package dev.sallyport.gateway.child;

import dev.sallyport.containment.WorkspaceAccess;
import dev.sallyport.gateway.door.Command;
import dev.sallyport.gateway.door.DoorException;
import dev.sallyport.gateway.permission.PermissionService.Registration;
import dev.sallyport.gateway.permission.PermissionServiceException;
import dev.sallyport.gateway.sandbox.BindRefusal;
import dev.sallyport.gateway.sandbox.BindSource;
import dev.sallyport.gateway.sandbox.BindSources;
import dev.sallyport.gateway.sandbox.Enforcement;
import dev.sallyport.gateway.sandbox.FileKey;
import dev.sallyport.gateway.sandbox.SandboxException;
import dev.sallyport.gateway.sandbox.SandboxSpec;
import dev.sallyport.gateway.sandbox.SandboxState;
import dev.sallyport.gateway.sandbox.SandboxUser;
import dev.sallyport.gateway.sandbox.WorkspaceMount;
import dev.sallyport.gateway.workspace.WorkspaceException;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataAccessException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Leads one child from its queue to its end, on a thread of its own. Whoever wants it ended earlier decides so
 * ({@link LiveChild#decide}), which interrupts this thread; the cleaning up is always done here, in one order: nothing is
 * served at its door any more, its sandbox is confirmed gone, its work is saved, then it has ended.
 */
final class Life implements Runnable {

    private static final Logger log = LoggerFactory.getLogger(Life.class);
    private static final Duration LOOK_FOR_A_PLACE = Duration.ofSeconds(2);
    private static final Duration RETRY = Duration.ofMillis(500);
    private static final Duration GLANCE = Duration.ofSeconds(1);

    private final LiveChild live;
    private final Surroundings with;
    private final Remains remains;
    private final Signal places;
    private final Runnable afterwards;

    /** @param afterwards done last, whatever happens */
    Life(LiveChild live, Surroundings with, Remains remains, Signal places, Runnable afterwards) {
        this.live = live;
        this.with = with;
        this.remains = remains;
        this.places = places;
        this.afterwards = afterwards;
    }

    @Override
    public void run() {
        try {
            live.interruptible();
            if (live.child().state() == ChildState.QUEUED || live.child().state() == ChildState.PREPARING) {
                fromTheStart();
            } else {
                adopt();
            }
            decide(Ending.of(with.driver().awaitExit(live.child().sandbox())));
        } catch (InterruptedException e) {
            // Decided by somebody else; or the gateway goes down, and the next one takes over.
        } catch (EndedEarly e) {
            decide(e.ending);
        } catch (RuntimeException e) {
            // A thread that is interrupted fails in whatever it does.
            if (live.ending().isEmpty() && !live.abandoned()) {
                log.error("child {}", live.child().id(), e);
                decide(new Ending(EndReason.GATEWAY_FAILED, "the gateway failed; its log says how"));
            }
        }
        live.uninterruptible();
        try {
            live.ending().ifPresent(ending -> insist(() -> end(ending)));
        } catch (RuntimeException e) {
            log.error("child {} could not be ended", live.child().id(), e);
        } finally {
            places.raise();
            afterwards.run();
        }
    }

    private void decide(Ending ending) {
        insist(() -> live.decide(ending));
    }

    /** A database that is away for a while makes an end late, never forgotten. */
    private void insist(Runnable action) {
        while (!live.abandoned()) {
            try {
                action.run();
                return;
            } catch (DataAccessException e) {
                log.warn("child {}: {}; tried again", live.child().id(), e.getMessage());
                pause();
            }
        }
    }

    private static void pause() {
        try {
            Thread.sleep(RETRY);
        } catch (InterruptedException e) {
            // Somebody decided meanwhile; whoever called looks for that.
        }
    }

    /** A child that had no task when its gateway went down starts over: nothing of it has run. */
    private void fromTheStart() throws InterruptedException, EndedEarly {
        Child child = live.child();
        if (child.state() == ChildState.PREPARING) {
            persistently(() -> {
                remains.remove(child);
                return true;
            });
            with.children().again(child.id());
            live.restarted(with.children().find(child.id()).orElseThrow());
        }
        prepare();
    }

    private void prepare() throws InterruptedException, EndedEarly {
        Child child = live.child();
        Terms terms = child.terms();
        awaitPlace(child);
        live.preparing(within(with.settings().prepare(), EndReason.PREPARE_TIMEOUT));

        WorkspaceMount mount = mount(child);
        SandboxUser user = user(child, mount);
        String base = clone(child, user);
        Path extensions = extensions(child);
        Path door = openDoor(child);
        register(child);
        String nonce = UUID.randomUUID().toString();
        with.timeline()
                .command(
                        child.sandbox(),
                        Command.Type.ASSIGNMENT,
                        Assignment.of(child, nonce, base, with.settings(), with.json()));
        var spec = new SandboxSpec(
                child.sandbox(),
                with.settings().image(),
                user,
                door,
                extensions,
                mount,
                terms.limits(),
                terms.runtime());
        create(spec);
        requireSameWorkspace(child);
        requireContained(child);
        requireEvidence(child, nonce);
        begin(child);
    }

    private void awaitPlace(Child child) throws InterruptedException {
        long seen = places.version();
        while (!with.children().preparing(child.id(), with.settings().prepare())) {
            if (!with.children().queued(child.id())) {
                // Its end is decided, or another gateway has it.
                throw new InterruptedException();
            }
            // Places that another gateway's children give back are not heard of.
            places.await(seen, LOOK_FOR_A_PLACE);
            seen = places.version();
        }
    }

    private WorkspaceMount mount(Child child) throws EndedEarly {
        Terms.Workspace workspace = child.terms().workspace();
        return switch (workspace.access()) {
            case NONE -> new WorkspaceMount.None();
            case CLONE -> new WorkspaceMount.Volume(child.volume());
            case READ_ONLY -> new WorkspaceMount.Bind(checked(child, reader()), true);
            case READ_WRITE -> new WorkspaceMount.Bind(checked(child, new BindSources.Use.Write()), false);
        };
    }

    private BindSources.Use reader() {
        int uid = with.settings().firstUid();
        return new BindSources.Use.Read(new SandboxUser(uid, uid));
    }

    /** What was checked when the child was accepted must still be there, and still be the same (S5). */
    private BindSource checked(Child child, BindSources.Use use) throws EndedEarly {
        Terms.Workspace workspace = child.terms().workspace();
        try {
            BindSource source = with.bindSources()
                    .check(
                            Path.of(String.valueOf(workspace.directory())),
                            use,
                            with.children().writableByOthers(child.id()));
            if (!source.key().equals(workspace.key())) {
                throw workspaceChanged();
            }
            return source;
        } catch (BindRefusal | IOException e) {
            throw new EndedEarly(EndReason.WORKSPACE_REFUSED, "its workspace: " + e.getMessage());
        } catch (SandboxException.BackendUnavailable e) {
            throw new EndedEarly(EndReason.ENGINE_UNAVAILABLE, String.valueOf(e.getMessage()));
        }
    }

    private static EndedEarly workspaceChanged() {
        return new EndedEarly(
                EndReason.WORKSPACE_CHANGED, "its workspace was replaced by another directory while it started");
    }

    /** A writer is the owner of what it writes; every other child is somebody of its own (S7). */
    private SandboxUser user(Child child, WorkspaceMount mount) throws EndedEarly {
        if (mount instanceof WorkspaceMount.Bind(BindSource source, boolean readOnly) && !readOnly) {
            return new SandboxUser(source.ownerUid(), source.ownerGid());
        }
        LifeSettings settings = with.settings();
        int uid = with.children()
                .claimUid(child.id(), settings.firstUid(), settings.lastUid())
                .orElseThrow(
                        () -> new EndedEarly(EndReason.UIDS_EXHAUSTED, "every uid of the configured range is taken"));
        return new SandboxUser(uid, uid);
    }

    /** @return the commit of the clone, null if there is none */
    private @Nullable String clone(Child child, SandboxUser user) throws EndedEarly, InterruptedException {
        if (child.terms().workspace().access() != WorkspaceAccess.CLONE) {
            return null;
        }
        String base;
        try {
            base = with.clones().export(child);
        } catch (WorkspaceException e) {
            throw new EndedEarly(EndReason.WORKSPACE_REFUSED, "its repository: " + e.getMessage());
        }
        persistently(() -> {
            with.driver()
                    .createVolume(
                            child.volume(),
                            with.settings().image(),
                            user,
                            child.terms().limits().diskBytes());
            return true;
        });
        return base;
    }

    /** @return where the copies are, null if it has none */
    private @Nullable Path extensions(Child child) throws EndedEarly {
        try {
            Path copies = with.provisions().make(child).orElse(null);
            if (copies != null) {
                ObjectNode data = with.json().createObjectNode();
                child.terms().extensions().given().forEach(given -> data.put(given.name(), given.digest()));
                with.timeline().fact(child.id(), "extensions", data);
            }
            return copies;
        } catch (IOException e) {
            throw new EndedEarly(EndReason.EXTENSION_CHANGED, String.valueOf(e.getMessage()));
        }
    }

    private Path openDoor(Child child) throws EndedEarly {
        try {
            return with.door().open(child.id(), child.incarnation());
        } catch (DoorException e) {
            throw new EndedEarly(EndReason.DOOR_UNAVAILABLE, String.valueOf(e.getMessage()));
        }
    }

    private void register(Child child) throws EndedEarly, InterruptedException {
        Terms terms = child.terms();
        var registration = new Registration(
                child.id(),
                child.tenant(),
                child.session(),
                child.parent(),
                child.incarnation(),
                terms.agent(),
                terms.definitionDigest(),
                terms.authorityDigest(),
                terms.workspace().access().wire(),
                terms.narrowing());
        long until = System.nanoTime() + with.settings().permission().toNanos();
        while (true) {
            try {
                with.permissions().register(registration);
                return;
            } catch (PermissionServiceException.Refused e) {
                throw new EndedEarly(EndReason.PERMISSION_SERVICE_UNAVAILABLE, String.valueOf(e.getMessage()));
            } catch (PermissionServiceException.Unreachable e) {
                if (System.nanoTime() - until > 0) {
                    throw new EndedEarly(
                            EndReason.PERMISSION_SERVICE_UNAVAILABLE, "the permission-service does not answer");
                }
                Thread.sleep(RETRY);
            }
        }
    }

    private void create(SandboxSpec spec) throws EndedEarly, InterruptedException {
        try {
            var attempts = new AtomicInteger();
            persistently(() -> {
                if (attempts.getAndIncrement() > 0) {
                    // Whether the last attempt made it is not known, and one of an unknown state is not used.
                    with.driver().remove(spec.id());
                }
                with.driver().create(spec);
                return true;
            });
        } catch (SandboxException.ImageNotFound e) {
            throw new EndedEarly(EndReason.IMAGE_NOT_FOUND, String.valueOf(e.getMessage()));
        } catch (SandboxException.RuntimeNotFound e) {
            throw new EndedEarly(EndReason.RUNTIME_NOT_FOUND, String.valueOf(e.getMessage()));
        } catch (SandboxException.Rejected | SandboxException.AlreadyExists e) {
            throw new EndedEarly(EndReason.SANDBOX_REFUSED, String.valueOf(e.getMessage()));
        }
    }

    private void requireSameWorkspace(Child child) throws EndedEarly, InterruptedException {
        FileKey expected = child.terms().workspace().key();
        if (expected == null) {
            return;
        }
        Optional<FileKey> mounted = verified(child, () -> with.driver().workspaceFileKey(child.sandbox()));
        if (!mounted.equals(Optional.of(expected))) {
            throw workspaceChanged();
        }
    }

    private void requireContained(Child child) throws EndedEarly, InterruptedException {
        List<Enforcement> enforcements = verified(child, () -> with.driver().enforcements(child.sandbox()));
        with.children().contained(child.id(), ContainmentJson.of(enforcements, with.json()));
        Set<String> applied = enforcements.stream()
                .filter(enforcement -> enforcement.state() == Enforcement.State.APPLIED)
                .map(Enforcement::name)
                .collect(Collectors.toSet());
        // A measure that nobody knows is missing too: the operator counts on it.
        List<String> missing = with.settings().required().stream()
                .filter(name -> !applied.contains(name))
                .sorted()
                .toList();
        if (!missing.isEmpty()) {
            throw new EndedEarly(
                    EndReason.CONTAINMENT_UNAVAILABLE,
                    "required here and not available: " + String.join(", ", missing));
        }
    }

    /** What is active is known before the task is: so nothing that should not be there ever sees it. */
    private void requireEvidence(Child child, String nonce) throws EndedEarly, InterruptedException {
        live.deadline()
                .ifPresent(
                        deadline -> live.preparing(new LiveChild.Deadline(deadline.at(), EndReason.EVIDENCE_MISSING)));
        Evidence evidence = awaitEvidence(child);
        Optional<String> contradiction = evidence.contradiction(child.terms(), live.tools(), nonce);
        if (contradiction.isPresent()) {
            throw new EndedEarly(EndReason.CAPABILITY_MISMATCH, contradiction.get());
        }
        List<String> omitted = evidence.omitted(child.terms());
        if (!omitted.isEmpty()) {
            ObjectNode data = with.json().createObjectNode();
            omitted.forEach(data.putArray("names")::add);
            with.timeline().fact(child.id(), "omitted", data);
        }
    }

    private Evidence awaitEvidence(Child child) throws EndedEarly, InterruptedException {
        while (true) {
            long seen = live.news().version();
            // Looked at first: what it said before it ended was said.
            SandboxState state = persistently(() -> with.driver().inspect(child.sandbox()));
            Optional<Evidence> evidence = live.evidence();
            if (evidence.isPresent()) {
                return evidence.get();
            }
            if (state instanceof SandboxState.Ended ended) {
                throw new EndedEarly(beforeItsTask(ended));
            }
            live.news().await(seen, GLANCE);
        }
    }

    /** Whatever its exit code says: nothing of what was asked for has been done. */
    private static Ending beforeItsTask(SandboxState.Ended ended) {
        Ending ending = Ending.of(ended);
        return ending.reason() == EndReason.EXITED
                ? new Ending(EndReason.EVIDENCE_MISSING, "its runner ended before it said what is active in it", 0)
                : ending;
    }

    /** A sandbox that ended before it could be looked at has ended; one that cannot be looked at does not go on. */
    private <T> T verified(Child child, Callable<T> look) throws EndedEarly, InterruptedException {
        try {
            return persistently(look);
        } catch (SandboxException.Unverifiable e) {
            if (with.driver().inspect(child.sandbox()) instanceof SandboxState.Ended ended) {
                throw new EndedEarly(beforeItsTask(ended));
            }
            throw new EndedEarly(EndReason.CONTAINMENT_UNAVAILABLE, String.valueOf(e.getMessage()));
        }
    }

    /** Only now the child learns what it is to do. */
    private void begin(Child child) {
        ObjectNode task =
                with.json().createObjectNode().put("prompt", child.terms().prompt());
        with.children()
                .history(child.id())
                .ifPresent(history -> task.set("history", with.json().readTree(history)));
        with.timeline().command(child.sandbox(), Command.Type.TASK, task);
        if (with.children().running(child.id(), child.terms().limits().wall())) {
            live.running(within(child.terms().limits().wall(), EndReason.WALL_CLOCK));
            with.metrics()
                    .started(Duration.between(child.createdAt(), with.clock().instant()));
        }
    }

    private LiveChild.Deadline within(Duration duration, EndReason reason) {
        return new LiveChild.Deadline(with.clock().instant().plus(duration), reason);
    }

    private void adopt() throws InterruptedException, EndedEarly {
        Child child = live.child();
        SandboxState state = persistently(() -> with.driver().inspect(child.sandbox()));
        if (state instanceof SandboxState.Ended ended) {
            throw new EndedEarly(Ending.of(ended));
        }
        // Whoever forwarded them is gone, and nobody will say what they took.
        with.ledger().settleAll(child.id());
        with.timeline().offers(child.id()).forEach(offer -> live.offers(offer.extension(), offer.tools()));
        try {
            with.door().reopen(child.id(), child.incarnation());
        } catch (DoorException.Tampered e) {
            throw new EndedEarly(EndReason.DOOR_TAMPERED, String.valueOf(e.getMessage()));
        } catch (DoorException e) {
            throw new EndedEarly(EndReason.DOOR_UNAVAILABLE, String.valueOf(e.getMessage()));
        }
        // Whatever waited for a person asks again; until then nothing waits.
        with.children().resumed(child.id());
        with.timeline().fact(child.id(), "adopted", with.json().createObjectNode());
        live.running(
                live.deadline().orElseGet(() -> within(child.terms().limits().wall(), EndReason.WALL_CLOCK)));
    }

    private void end(Ending decided) {
        Child child = live.child();
        Ending ending = explained(child, decided);
        boolean gone = true;
        try {
            persistently(() -> {
                remains.remove(child);
                return true;
            });
        } catch (EndedEarly e) {
            gone = false;
            ending = e.ending;
        } catch (InterruptedException e) {
            // Going down: the decision is in the row, and the next gateway carries it out.
            Thread.currentThread().interrupt();
            return;
        }
        with.ledger().settleAll(child.id());
        if (with.children().end(child.id(), ending, gone)) {
            with.metrics().ended(ending.reason());
        }
        if (gone) {
            remains.settle(child);
        }
    }

    private Ending explained(Child child, Ending ending) {
        if (ending.reason() != EndReason.EXIT_CODE) {
            return ending;
        }
        if (with.timeline().has(child.id(), ChildAtDoor.SCRIPT_EXHAUSTED)) {
            return new Ending(
                    EndReason.MODEL_SCRIPT_EXHAUSTED, "the script of its model has no turn left", ending.exitCode());
        }
        return with.timeline()
                .last(child.id(), ChildAtDoor.BUDGET_EXHAUSTED)
                .map(with.json()::readTree)
                .flatMap(fact -> overspent(child, fact, ending))
                .orElse(ending);
    }

    private static Optional<Ending> overspent(Child child, JsonNode fact, Ending ending) {
        String budget = fact.path("budget").asString();
        String whose = fact.path("child").asString();
        Optional<EndReason> reason = switch (budget) {
            case "turns" -> Optional.of(EndReason.BUDGET_TURNS);
            case "tokens" -> Optional.of(EndReason.BUDGET_TOKENS);
            case "cost" -> Optional.of(EndReason.BUDGET_COST);
            default -> Optional.empty();
        };
        String owner = whose.equals(child.id().value()) ? "its" : "child %s's".formatted(whose);
        return reason.map(
                why -> new Ending(why, "%s %s budget is used up".formatted(owner, budget), ending.exitCode()));
    }

    /** Tries again while the backend does not answer, until our patience with it is over. */
    private <T> T persistently(Callable<T> action) throws EndedEarly, InterruptedException {
        long until = System.nanoTime() + with.settings().engine().toNanos();
        while (true) {
            try {
                return action.call();
            } catch (SandboxException.BackendUnavailable | SandboxException.NotRemoved e) {
                if (Thread.interrupted() || live.abandoned()) {
                    throw new InterruptedException();
                }
                if (System.nanoTime() - until > 0) {
                    throw new EndedEarly(EndReason.ENGINE_UNAVAILABLE, String.valueOf(e.getMessage()));
                }
                Thread.sleep(RETRY);
            } catch (RuntimeException e) {
                throw e;
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }
    }

    /** The child ends here, for this reason. Control flow of this class only. */
    private static final class EndedEarly extends Exception {

        private static final long serialVersionUID = 1L;

        private final transient Ending ending;

        EndedEarly(EndReason reason, String message) {
            this(new Ending(reason, message));
        }

        EndedEarly(Ending ending) {
            super(ending.message(), null, false, false);
            this.ending = ending;
        }
    }
}
