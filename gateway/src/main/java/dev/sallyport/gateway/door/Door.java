package dev.sallyport.gateway.door;

import dev.sallyport.identity.ChildId;
import java.nio.file.Path;

/**
 * Holds one Unix socket per live child (S9). The socket is the identity of the child: whatever arrives by it was sent by
 * that child, whatever it says about itself.
 */
public interface Door extends AutoCloseable {

    /**
     * Makes the directory and the socket of a child that starts.
     *
     * @return the directory to mount, read-only, at {@code /run/sallyport}
     * @throws DoorException if the child already has a door, or the path cannot be used
     */
    Path open(ChildId child, int incarnation);

    /**
     * Takes over the directory of a child that outlived the gateway, or does nothing if this door already holds it.
     *
     * @return the same directory as before
     * @throws DoorException.Tampered if something other than the socket that the gateway left is there; the caller ends the child
     */
    Path reopen(ChildId child, int incarnation);

    /** Ends every request and tunnel of the child, then removes socket and directory. A child without a door is no error. */
    void close(ChildId child);

    @Override
    void close();
}
