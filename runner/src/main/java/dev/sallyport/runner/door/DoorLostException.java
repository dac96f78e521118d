package dev.sallyport.runner.door;

import java.io.IOException;
import java.time.Duration;

/** The gateway has not answered for so long that nobody will. */
public final class DoorLostException extends IOException {

    private static final long serialVersionUID = 1L;

    DoorLostException(Duration patience, IOException cause) {
        super("no answer at the door for %d s: %s".formatted(patience.toSeconds(), cause.getMessage()), cause);
    }
}
