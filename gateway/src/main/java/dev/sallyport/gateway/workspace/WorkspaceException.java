package dev.sallyport.gateway.workspace;

import org.jspecify.annotations.Nullable;

/** An operation on a repository did not happen; nothing of it remains. */
public abstract sealed class WorkspaceException extends RuntimeException {

    private static final long serialVersionUID = 1;

    private WorkspaceException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }

    /** What was given is not acceptable, and will not be when tried again. */
    public static final class Refused extends WorkspaceException {

        private static final long serialVersionUID = 1;

        private final WorkspaceRefusal refusal;

        public Refused(WorkspaceRefusal refusal, String message) {
            super(message, null);
            this.refusal = refusal;
        }

        public WorkspaceRefusal refusal() {
            return refusal;
        }
    }

    /** The process that reads repositories ran out of time or memory, or died. The repository is as it was before. */
    public static final class Unavailable extends WorkspaceException {

        private static final long serialVersionUID = 1;

        public Unavailable(String message, Throwable cause) {
            super(message, cause);
        }
    }
}
