package dev.sallyport.gateway.door;

import dev.sallyport.identity.ChildId;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** A door could not be opened. */
public abstract sealed class DoorException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private DoorException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }

    /** Something stands in the child's directory that the gateway did not put there (S9). */
    public static final class Tampered extends DoorException {

        private static final long serialVersionUID = 1L;

        public Tampered(ChildId child, String found) {
            super("door of child %s: %s".formatted(child, found), null);
        }
    }

    /** The file system or the kernel refused. */
    public static final class Unavailable extends DoorException {

        private static final long serialVersionUID = 1L;

        public Unavailable(Path path, IOException cause) {
            super("door at %s: %s".formatted(path, cause), cause);
        }
    }

    public static final class AlreadyOpen extends DoorException {

        private static final long serialVersionUID = 1L;

        public AlreadyOpen(ChildId child) {
            super("child %s already has a door".formatted(child), null);
        }
    }
}
