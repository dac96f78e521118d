package dev.sallyport.gateway.child;

import dev.sallyport.gateway.door.Door;
import dev.sallyport.gateway.door.DoorException;
import dev.sallyport.identity.ChildId;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Doors without sockets: which are open, and which somebody has tampered with. */
final class FakeDoor implements Door {

    private final Map<ChildId, Integer> open = new ConcurrentHashMap<>();
    private final Set<ChildId> tampered = ConcurrentHashMap.newKeySet();

    @Override
    public Path open(ChildId child, int incarnation) {
        if (open.putIfAbsent(child, incarnation) != null) {
            throw new DoorException.AlreadyOpen(child);
        }
        return path(child);
    }

    @Override
    public Path reopen(ChildId child, int incarnation) {
        if (tampered.contains(child)) {
            throw new DoorException.Tampered(child, "a link where its socket was");
        }
        open.put(child, incarnation);
        return path(child);
    }

    @Override
    public void close(ChildId child) {
        open.remove(child);
    }

    @Override
    public void close() {
        open.clear();
    }

    void tamper(ChildId child) {
        tampered.add(child);
    }

    boolean isOpen(ChildId child) {
        return open.containsKey(child);
    }

    private static Path path(ChildId child) {
        return Path.of("/run/sallyport/test/" + child);
    }
}
