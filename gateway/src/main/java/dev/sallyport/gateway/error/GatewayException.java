package dev.sallyport.gateway.error;

import dev.sallyport.identity.ChildId;
import dev.sallyport.identity.MemoryId;
import dev.sallyport.identity.SessionId;
import dev.sallyport.service.ProblemException;
import dev.sallyport.text.ShellWord;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What the gateway refuses a caller. A closed family: whatever else is thrown is a bug and answered with a bare 500. */
public abstract sealed class GatewayException extends ProblemException {

    private static final long serialVersionUID = 1L;

    private GatewayException(GatewayProblem problem, String message, @Nullable String remedy) {
        super(problem, message, remedy);
    }

    private GatewayException(GatewayProblem problem, String message, @Nullable String remedy, Throwable cause) {
        super(problem, message, remedy, cause);
    }

    /** A field is missing, or fields contradict each other. */
    public static final class InvalidRequest extends GatewayException {

        private static final long serialVersionUID = 1L;

        public InvalidRequest(String message) {
            super(GatewayProblem.REQUEST_INVALID, message, null);
        }
    }

    /** Resolution ended in a refusal: no child was made. */
    public static final class AuthorityRefused extends GatewayException {

        private static final long serialVersionUID = 1L;

        /**
         * @param refusal code of the resolution, such as {@code unknown-agent}
         * @param reasons never empty
         */
        public AuthorityRefused(String refusal, List<String> reasons) {
            this(refusal, reasons, "`sallyport explain` shows which layer decided each field");
        }

        public AuthorityRefused(String refusal, List<String> reasons, String remedy) {
            super(GatewayProblem.AUTHORITY_REFUSED, String.join("; ", reasons), remedy);
            with("refusal", refusal);
            with("reasons", List.copyOf(reasons));
        }
    }

    public static final class AgentNotFound extends GatewayException {

        private static final long serialVersionUID = 1L;

        public AgentNotFound(String name) {
            super(
                    GatewayProblem.AGENT_NOT_FOUND,
                    "no agent named `%s`".formatted(name),
                    "list them: `sallyport agents ls`");
        }
    }

    /** The directory cannot be a child's workspace. */
    public static final class WorkspaceRefused extends GatewayException {

        private static final long serialVersionUID = 1L;

        /** @param refusal which rule it is, for machines */
        public WorkspaceRefused(String refusal, String reason, @Nullable String remedy) {
            super(GatewayProblem.WORKSPACE_REFUSED, reason, remedy);
            with("refusal", refusal);
        }
    }

    /** What a person saw of a project is not what is there now. */
    public static final class ProjectChanged extends GatewayException {

        private static final long serialVersionUID = 1L;

        public ProjectChanged(String directory) {
            super(
                    GatewayProblem.PROJECT_CHANGED,
                    "the files of project `%s` are not those that were shown".formatted(directory),
                    "look at them again: `sallyport trust %s`".formatted(ShellWord.of(directory)));
        }
    }

    public static final class TrustNotFound extends GatewayException {

        private static final long serialVersionUID = 1L;

        public TrustNotFound(String directory) {
            super(
                    GatewayProblem.TRUST_NOT_FOUND,
                    "project `%s` is not trusted".formatted(directory),
                    "list those that are: `sallyport trust ls`");
        }
    }

    /** There is no such session, or not for this caller; which of the two is not said. */
    public static final class SessionNotFound extends GatewayException {

        private static final long serialVersionUID = 1L;

        public SessionNotFound(SessionId session) {
            super(GatewayProblem.SESSION_NOT_FOUND, "no session " + session, "leave `session` out to get a new one");
        }
    }

    /** There is no such child, or not for this caller; which of the two is not said. */
    public static final class ChildNotFound extends GatewayException {

        private static final long serialVersionUID = 1L;

        public ChildNotFound(ChildId child) {
            super(GatewayProblem.CHILD_NOT_FOUND, "no child " + child, null);
        }
    }

    public static final class ChildNotEnded extends GatewayException {

        private static final long serialVersionUID = 1L;

        public ChildNotEnded(ChildId child, String state) {
            super(
                    GatewayProblem.CHILD_NOT_ENDED,
                    "child %s is %s".formatted(child, state),
                    "wait for it with `?wait=30s`, or cancel it");
            with("state", state);
        }
    }

    public static final class TranscriptNotKept extends GatewayException {

        private static final long serialVersionUID = 1L;

        public TranscriptNotKept(ChildId child) {
            super(
                    GatewayProblem.TRANSCRIPT_NOT_KEPT,
                    "what child %s said was not kept".formatted(child),
                    "say `output_transcript: true` in its agent file, or `\"outputTranscript\": true` in your settings, for the next one");
        }
    }

    public static final class ChildNotRunning extends GatewayException {

        private static final long serialVersionUID = 1L;

        public ChildNotRunning(ChildId child, String state) {
            super(GatewayProblem.CHILD_NOT_RUNNING, "child %s is %s".formatted(child, state), null);
            with("state", state);
        }
    }

    /** one conversation goes on in one child. */
    public static final class ChildResumed extends GatewayException {

        private static final long serialVersionUID = 1L;

        public ChildResumed(ChildId child, ChildId winner) {
            super(
                    GatewayProblem.CHILD_RESUMED,
                    "child %s goes on as child %s".formatted(child, winner),
                    "resume %s once it is over".formatted(winner));
            with("winner", winner.value());
        }
    }

    /** Nobody can go on with what this child did. */
    public static final class NotResumable extends GatewayException {

        private static final long serialVersionUID = 1L;

        public NotResumable(ChildId child, String why, @Nullable String remedy) {
            super(GatewayProblem.NOT_RESUMABLE, "child %s %s".formatted(child, why), remedy);
        }

        public static NotResumable notOver(ChildId child) {
            return new NotResumable(child, "has ended, but is not yet cleaned up after", "try again in a moment");
        }
    }

    public static final class SteeredTooOften extends GatewayException {

        private static final long serialVersionUID = 1L;

        public SteeredTooOften(ChildId child, int perMinute, Duration wait) {
            super(
                    GatewayProblem.STEERED_TOO_OFTEN,
                    "child %s was sent too many messages (expected: at most %d a minute)".formatted(child, perMinute),
                    "say it in one message");
            retryAfter(wait);
        }
    }

    /** Every place is taken, and a child of a child cannot wait for one. */
    public static final class NotAdmitted extends GatewayException {

        private static final long serialVersionUID = 1L;

        /** @param scope {@code session} or {@code gateway} */
        public NotAdmitted(String scope, int limit) {
            super(
                    GatewayProblem.CHILDREN_LIMIT,
                    "%d children of this %s are active, which is the most at a time".formatted(limit, scope),
                    "try again when one of them has ended");
            with("scope", scope);
            with("limit", limit);
        }
    }

    /** One child and those below it have started as many as they ever may. */
    public static final class TreeLimit extends GatewayException {

        private static final long serialVersionUID = 1L;

        public TreeLimit(int limit) {
            super(
                    GatewayProblem.CHILDREN_LIMIT,
                    "%d children were started below one, which is the most".formatted(limit),
                    "start what is left from the session");
            with("scope", "tree");
            with("limit", limit);
        }
    }

    /** A budget of the tree has no room for another child, or for the question which model it is to have (P12). */
    public static final class BudgetUsedUp extends GatewayException {

        private static final long serialVersionUID = 1L;

        /** @param problem which budget */
        public BudgetUsedUp(GatewayProblem problem, String message) {
            super(problem, message, "start what is left from the session");
        }
    }

    /** A child may not start this one, or none at all; nothing in its request can change that. */
    public static final class DelegationNotAllowed extends GatewayException {

        private static final long serialVersionUID = 1L;

        public DelegationNotAllowed(String reason) {
            super(GatewayProblem.DELEGATION_NOT_ALLOWED, reason, null);
        }
    }

    public static final class ParentEnded extends GatewayException {

        private static final long serialVersionUID = 1L;

        public ParentEnded(ChildId parent) {
            super(GatewayProblem.PARENT_ENDED, "child %s ends, and so can start no other".formatted(parent), null);
        }
    }

    /** Two children would write to one directory at the same time. */
    public static final class SharedWrites extends GatewayException {

        private static final long serialVersionUID = 1L;

        public SharedWrites(String directory) {
            super(
                    GatewayProblem.SHARED_WRITES,
                    "another child that has not ended writes to `%s`".formatted(directory),
                    "use workspace `clone`, another directory or, where the operator lets you, `allowSharedWrites`");
        }
    }

    /** None of a batch was started, because some of it cannot be. */
    public static final class BatchRefused extends GatewayException {

        private static final long serialVersionUID = 1L;

        /** One of a batch that cannot be started. */
        public record Item(int index, String code, String detail) {}

        /** @param refused never empty */
        public BatchRefused(List<Item> refused) {
            super(
                    GatewayProblem.BATCH_REFUSED,
                    String.join(
                            "; ",
                            refused.stream()
                                    .map(item -> "%d: %s".formatted(item.index(), item.detail()))
                                    .toList()),
                    "no child of the batch was started");
            with("refused", List.copyOf(refused));
        }
    }

    public static final class NoBranch extends GatewayException {

        private static final long serialVersionUID = 1L;

        public NoBranch(ChildId child) {
            super(
                    GatewayProblem.NO_BRANCH,
                    "child %s left no branch".formatted(child),
                    "only a child with workspace `clone` that changed something leaves one");
        }
    }

    public static final class ChangesTooLarge extends GatewayException {

        private static final long serialVersionUID = 1L;

        public ChangesTooLarge(String detail) {
            super(GatewayProblem.CHANGES_TOO_LARGE, detail, "look at the branch itself");
        }
    }

    public static final class IdempotencyKeyReused extends GatewayException {

        private static final long serialVersionUID = 1L;

        public IdempotencyKeyReused(String key) {
            super(
                    GatewayProblem.IDEMPOTENCY_KEY_REUSED,
                    "idempotency key `%s` was used with another body".formatted(key),
                    "use a new key for a new request");
        }
    }

    public static final class CredentialNotFound extends GatewayException {

        private static final long serialVersionUID = 1L;

        public CredentialNotFound(String name) {
            super(GatewayProblem.CREDENTIAL_NOT_FOUND, "no credential `%s`".formatted(name), null);
        }
    }

    /** There is no such memory, or not for this caller; which of the two is not said. */
    public static final class MemoryNotFound extends GatewayException {

        private static final long serialVersionUID = 1L;

        public MemoryNotFound(MemoryId memory) {
            super(GatewayProblem.MEMORY_NOT_FOUND, "no memory " + memory, "list them: `sallyport memory ls`");
        }
    }

    public static final class MemoryVersionNotFound extends GatewayException {

        private static final long serialVersionUID = 1L;

        public MemoryVersionNotFound(MemoryId memory, int version) {
            super(
                    GatewayProblem.MEMORY_VERSION_NOT_FOUND,
                    "memory %s has no version %d".formatted(memory, version),
                    "list them: `sallyport memory versions %s`".formatted(memory));
        }
    }

    /** Only people change what agents remember, and agents by running. */
    public static final class MemoryNotYours extends GatewayException {

        private static final long serialVersionUID = 1L;

        public MemoryNotYours(MemoryId memory) {
            super(
                    GatewayProblem.MEMORY_NOT_YOURS,
                    "memory %s is changed by its user or an operator".formatted(memory),
                    "log in as a person");
        }
    }

    public static final class PermissionServiceUnavailable extends GatewayException {

        private static final long serialVersionUID = 1L;

        public PermissionServiceUnavailable(Throwable cause) {
            super(
                    GatewayProblem.PERMISSION_SERVICE_UNAVAILABLE,
                    "the permission-service does not answer, so no child can be started",
                    "`sallyport doctor` says whether it runs",
                    cause);
        }
    }

    /** Nothing was changed, or what was changed is found again under the same idempotency key. */
    public static final class DatabaseUnavailable extends GatewayException {

        private static final long serialVersionUID = 1L;

        public DatabaseUnavailable(Throwable cause) {
            super(GatewayProblem.DATABASE_UNAVAILABLE, "the database cannot be reached", "send it again", cause);
            retryAfter(Duration.ofSeconds(1));
        }
    }
}
