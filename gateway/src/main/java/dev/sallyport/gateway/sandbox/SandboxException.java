package dev.sallyport.gateway.sandbox;

import dev.sallyport.containment.RuntimeClass;
import org.jspecify.annotations.Nullable;

/** A driver could not do what was asked. Backend exceptions never cross {@link SandboxDriver}. */
public abstract sealed class SandboxException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private SandboxException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }

    public static final class ImageNotFound extends SandboxException {

        private static final long serialVersionUID = 1L;

        public ImageNotFound(ImageId image) {
            super("image not found: " + image, null);
        }
    }

    /** The backend has no such runtime class. There is no weaker one to fall back to. */
    public static final class RuntimeNotFound extends SandboxException {

        private static final long serialVersionUID = 1L;

        public RuntimeNotFound(RuntimeClass runtime, String detail) {
            super("runtime class not available: %s (%s)".formatted(runtime.wire(), detail), null);
        }
    }

    /** A sandbox with this id was created before; {@link SandboxDriver#inspect} tells what became of it. */
    public static final class AlreadyExists extends SandboxException {

        private static final long serialVersionUID = 1L;

        public AlreadyExists(SandboxId id) {
            super("sandbox exists already: " + id, null);
        }
    }

    /** The same call will be refused again: a limit the backend cannot set, a mount that does not exist, no such sandbox. */
    public static final class Rejected extends SandboxException {

        private static final long serialVersionUID = 1L;

        public Rejected(String reason, @Nullable Throwable cause) {
            super("sandbox refused: " + reason, cause);
        }
    }

    /** Something that must be known before the child may go on could not be found out; the child must not go on. */
    public static final class Unverifiable extends SandboxException {

        private static final long serialVersionUID = 1L;

        public Unverifiable(String reason, @Nullable Throwable cause) {
            super("sandbox not verified: " + reason, cause);
        }
    }

    /** The sandbox or a process of it was still there when the time for its removal was over; call again. */
    public static final class NotRemoved extends SandboxException {

        private static final long serialVersionUID = 1L;

        public NotRemoved(SandboxId id, String what) {
            super("sandbox %s not removed: %s".formatted(id, what), null);
        }
    }

    /** The same call may succeed later. */
    public static final class BackendUnavailable extends SandboxException {

        private static final long serialVersionUID = 1L;

        public BackendUnavailable(String reason, Throwable cause) {
            super("sandbox backend unavailable: " + reason, cause);
        }
    }
}
