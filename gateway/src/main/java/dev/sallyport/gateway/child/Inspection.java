package dev.sallyport.gateway.child;

import dev.sallyport.containment.Harness;
import dev.sallyport.delegation.Nesting;
import dev.sallyport.gateway.error.GatewayException.ChangesTooLarge;
import dev.sallyport.gateway.error.GatewayException.ChildNotEnded;
import dev.sallyport.gateway.error.GatewayException.ChildNotFound;
import dev.sallyport.gateway.error.GatewayException.ChildNotRunning;
import dev.sallyport.gateway.error.GatewayException.InvalidRequest;
import dev.sallyport.gateway.error.GatewayException.NoBranch;
import dev.sallyport.gateway.error.GatewayException.TranscriptNotKept;
import dev.sallyport.gateway.error.GatewayException.WorkspaceRefused;
import dev.sallyport.gateway.workspace.ChangedFile;
import dev.sallyport.gateway.workspace.WorkspaceException;
import dev.sallyport.gateway.workspace.WorkspaceRefusal;
import dev.sallyport.identity.ChildId;
import dev.sallyport.identity.SessionId;
import dev.sallyport.service.Caller;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What callers see of children and do to them. INVARIANT: every method begins by finding the child for this caller; one that
 * is not theirs is not there.
 */
final class Inspection {

    private static final int LONGEST_OUTPUT = 1 << 16;
    private static final int LONGEST_MESSAGE = 1 << 16;
    private static final int LONGEST_REASON = 500;
    private static final Duration GLANCE = Duration.ofSeconds(1);

    private final Children children;
    private final Timeline timeline;
    private final Clones clones;
    private final Lives lives;
    private final Remains remains;

    Inspection(Children children, Timeline timeline, Clones clones, Lives lives, Remains remains) {
        this.children = children;
        this.timeline = timeline;
        this.clones = clones;
        this.lives = lives;
        this.remains = remains;
    }

    /** A session sees its own children, a person those of the tenant. */
    Child child(Caller caller, ChildId id) {
        return children.find(id)
                .filter(child -> child.tenant().equals(caller.tenant()))
                .filter(child -> switch (caller.kind()) {
                    case SESSION -> child.owner().equals(caller.principal());
                    case PERSON -> true;
                    case SERVICE -> false;
                })
                .orElseThrow(() -> new ChildNotFound(id));
    }

    /** A child sees its own children, never theirs nor its sisters. */
    Child below(Child parent, ChildId id) {
        return children.find(id)
                .filter(child -> child.parent() != null
                        && Nesting.owns(parent.id().value(), child.parent().value()))
                .orElseThrow(() -> new ChildNotFound(id));
    }

    List<Child> below(Child parent) {
        return children.below(parent.id());
    }

    List<Child> list(Caller caller, @Nullable SessionId session) {
        return children.list(caller.tenant(), session, caller.kind() == Caller.Kind.PERSON ? null : caller.principal());
    }

    String authority(Caller caller, ChildId id) {
        return children.authority(child(caller, id).id());
    }

    String explanation(Caller caller, ChildId id) {
        return children.explanation(child(caller, id).id());
    }

    ResultResponse result(Caller caller, ChildId id, Duration wait) throws InterruptedException {
        return result(() -> child(caller, id), id, wait);
    }

    /** @param look finds it for whoever asks */
    ResultResponse result(Supplier<Child> look, ChildId id, Duration wait) throws InterruptedException {
        Child child = ended(look, id, wait);
        Ending ending = child.ending();
        if (ending == null) {
            throw new IllegalStateException("child %s ended without an ending".formatted(id));
        }
        return ResultResponse.of(
                child, ending, timeline.output(id, LONGEST_OUTPUT).orElse(null), timeline.changedFiles(id));
    }

    private Child ended(Supplier<Child> look, ChildId id, Duration wait) throws InterruptedException {
        long until = System.nanoTime() + wait.toNanos();
        while (true) {
            Optional<LiveChild> live = lives.find(id);
            long seen = live.map(one -> one.news().version()).orElse(0L);
            Child child = look.get();
            if (child.endedAt() != null) {
                return child;
            }
            Duration left = Duration.ofNanos(until - System.nanoTime());
            if (left.isNegative() || left.isZero() || live.isEmpty()) {
                throw new ChildNotEnded(id, child.state().wire());
            }
            live.get().news().await(seen, left.compareTo(GLANCE) < 0 ? left : GLANCE);
        }
    }

    /** Cancelling what has ended changes nothing. */
    Child cancel(Caller caller, ChildId id, @Nullable String reason) {
        return cancel(child(caller, id), caller.principal(), reason);
    }

    Child cancel(Child child, String by, @Nullable String reason) {
        if (reason != null && reason.length() > LONGEST_REASON) {
            throw new InvalidRequest("reason (expected: at most %d characters)".formatted(LONGEST_REASON));
        }
        String message =
                "cancelled by %s%s".formatted(by, reason == null || reason.isBlank() ? "" : ": " + reason.strip());
        lives.find(child.id()).ifPresent(live -> lives.cancel(live, message));
        return children.find(child.id()).orElse(child);
    }

    Child steer(Caller caller, ChildId id, @Nullable String message) {
        return steer(child(caller, id), caller.principal(), message);
    }

    Child steer(Child child, String author, @Nullable String message) {
        if (message == null || message.isBlank() || message.length() > LONGEST_MESSAGE) {
            throw new InvalidRequest("message (expected: 1 to %d characters)".formatted(LONGEST_MESSAGE));
        }
        if (child.terms().harness() == Harness.COMMAND) {
            throw new InvalidRequest("a child with harness `command` takes no messages");
        }
        LiveChild live = lives.find(child.id())
                .filter(_ -> child.state() == ChildState.RUNNING || child.state() == ChildState.WAITING)
                .orElseThrow(() -> new ChildNotRunning(child.id(), child.state().wire()));
        lives.steer(live, author, message);
        return child;
    }

    /** @throws TranscriptNotKept if its agent file or the user's settings say so, and it has ended */
    Child withTranscript(Caller caller, ChildId id) {
        Child child = child(caller, id);
        if (child.endedAt() != null && Boolean.FALSE.equals(child.terms().transcript())) {
            throw new TranscriptNotKept(id);
        }
        return child;
    }

    void delete(Caller caller, ChildId id) {
        Child child = child(caller, id);
        try {
            if (!remains.forget(child)) {
                throw new ChildNotEnded(id, child.state().wire());
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    String diff(Caller caller, ChildId id) {
        Child child = child(caller, id);
        return readable(() -> clones.diff(child)).orElseThrow(() -> new NoBranch(id));
    }

    record Changes(String base, String tip, List<ChangedFile> files) {}

    Changes changes(Caller caller, ChildId id) {
        Child child = child(caller, id);
        String tip = Clones.changed(child).orElseThrow(() -> new NoBranch(id));
        return new Changes(
                String.valueOf(child.base()),
                tip,
                readable(() -> clones.changes(child)).orElseThrow(() -> new NoBranch(id)));
    }

    private static <T> T readable(Supplier<T> read) {
        try {
            return read.get();
        } catch (WorkspaceException.Refused e) {
            if (e.refusal() == WorkspaceRefusal.DIFF_TOO_LARGE || e.refusal() == WorkspaceRefusal.CHANGES_TOO_LARGE) {
                throw new ChangesTooLarge(String.valueOf(e.getMessage()));
            }
            throw new WorkspaceRefused(
                    e.refusal().code(),
                    String.valueOf(e.getMessage()),
                    e.refusal().remedy());
        } catch (WorkspaceException.Unavailable e) {
            throw new WorkspaceRefused("unavailable", String.valueOf(e.getMessage()), "try again");
        }
    }
}
