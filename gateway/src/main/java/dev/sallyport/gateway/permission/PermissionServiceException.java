package dev.sallyport.gateway.permission;

/** The permission-service gave no answer that can be acted on. */
public abstract sealed class PermissionServiceException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private PermissionServiceException(String message, Throwable cause) {
        super(message, cause);
    }

    private PermissionServiceException(String message) {
        super(message);
    }

    /** Not reached, broken off, answered with a server error, or with something that is no answer. May work later. */
    public static final class Unreachable extends PermissionServiceException {

        private static final long serialVersionUID = 1L;

        public Unreachable(Throwable cause) {
            super("permission-service: " + cause, cause);
        }

        public Unreachable(String what) {
            super("permission-service: " + what);
        }
    }

    /** It understood the request and refused it; the same request will be refused again. */
    public static final class Refused extends PermissionServiceException {

        private static final long serialVersionUID = 1L;

        private final String code;

        public Refused(int status, String code, String detail) {
            super("permission-service: %d %s: %s".formatted(status, code, detail));
            this.code = code;
        }

        /** As in its problem body; empty if it had none. */
        public String code() {
            return code;
        }
    }
}
