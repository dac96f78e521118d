package dev.sallyport.gateway.door;

import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import org.eclipse.jetty.io.ManagedSelector;
import org.eclipse.jetty.io.SocketChannelEndPoint;
import org.eclipse.jetty.util.thread.Scheduler;
import org.jspecify.annotations.Nullable;

/** A connection that knows by which door it came in, whatever is said over it. */
final class DoorEndPoint extends SocketChannelEndPoint {

    private final Doorway doorway;

    DoorEndPoint(
            SocketChannel channel, ManagedSelector selector, SelectionKey key, Scheduler scheduler, Doorway doorway) {
        super(channel, selector, key, scheduler);
        this.doorway = doorway;
    }

    Doorway doorway() {
        return doorway;
    }

    @Override
    public void onClose(@Nullable Throwable failure) {
        doorway.disconnected(this);
        super.onClose(failure);
    }
}
