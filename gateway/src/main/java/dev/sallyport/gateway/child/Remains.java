package dev.sallyport.gateway.child;

import dev.sallyport.containment.WorkspaceAccess;
import dev.sallyport.gateway.door.DoorException;
import dev.sallyport.gateway.permission.PermissionServiceException;
import dev.sallyport.gateway.sandbox.SandboxException;
import dev.sallyport.gateway.sandbox.SandboxUser;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Takes away what a child leaves: door, sandbox, volume, files; and saves its work first. Everything may be repeated. */
final class Remains {

    private static final Logger log = LoggerFactory.getLogger(Remains.class);

    /** What tar adds to full files, generously. */
    private static final long TAR_OVERHEAD = 64L << 20;

    /** All that is kept for one session; what is older goes when its children are deleted. */
    private static final long KEPT_PER_SESSION = 4L << 30;

    /** Left free on the disk, or a tenth of a small one: more than saved work needs it. */
    private static final long LEFT_FREE = 5L << 30;

    private final Surroundings with;

    Remains(Surroundings with) {
        this.with = with;
    }

    /** When this returns, nothing of the child runs, and nothing of it is on this machine but what was saved. */
    void remove(Child child) {
        closeDoor(child);
        with.driver().remove(child.sandbox());
        if (child.terms().workspace().access() == WorkspaceAccess.CLONE) {
            with.children().find(child.id()).ifPresent(this::salvage);
            with.driver().removeVolume(child.volume());
        }
        try {
            with.clones().discard(child);
            with.provisions().discard(child);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** From here on nothing that the child sends is served. */
    private void closeDoor(Child child) {
        try {
            with.door().close(child.id());
        } catch (DoorException e) {
            // Its socket is closed; what is left is an empty directory.
            log.warn("door of child {}: {}", child.id(), e.getMessage());
        }
    }

    /** Tells the permission-service that the child is over. What does not work now is done by the reaper. */
    void settle(Child child) {
        try {
            with.permissions().end(child.id(), child.incarnation());
            over(child);
        } catch (PermissionServiceException.Refused e) {
            log.warn("end of child {}: {}", child.id(), e.getMessage());
            over(child);
        } catch (PermissionServiceException.Unreachable e) {
            log.info("end of child {} not told yet: {}", child.id(), e.getMessage());
        }
    }

    private void over(Child child) {
        if (Boolean.FALSE.equals(child.terms().transcript())) {
            with.timeline().forgetConversation(child.id());
        }
        with.children().settled(child.id());
    }

    /**
     * Forgets a child that is over, with its conversation and what was saved of its work.
     *
     * @return false if it is not over
     */
    boolean forget(Child child) throws IOException {
        if (!with.children().delete(child.id())) {
            return false;
        }
        if (child.salvage() != null) {
            Files.deleteIfExists(Path.of(child.salvage()));
        }
        return true;
    }

    /** S15: the work of a child that ended without delivering it is read out by a sandbox that has nothing else. */
    private void salvage(Child child) {
        Integer uid = child.uid();
        Ending ending = child.ending();
        boolean delivered = child.tip() != null || ending == null || ending.reason() == EndReason.EXITED;
        if (delivered || child.startedAt() == null || child.salvage() != null || uid == null) {
            return;
        }
        Path target = with.settings().directory().resolve(child.id() + ".tar");
        Path part = with.settings().directory().resolve(child.id() + ".tar.part");
        try {
            try (OutputStream tar = capped(part, room(child))) {
                with.driver().salvage(child.volume(), with.settings().image(), new SandboxUser(uid, uid), tar);
            }
            Files.move(part, target, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
            with.children().salvaged(child.id(), target.toString());
            with.timeline()
                    .fact(
                            child.id(),
                            "salvaged",
                            with.json()
                                    .createObjectNode()
                                    .put("file", target.toString())
                                    .put("bytes", Files.size(target)));
        } catch (IOException | SandboxException.Rejected e) {
            log.warn("work of child {} not saved: {}", child.id(), e.getMessage());
            with.timeline()
                    .fact(
                            child.id(),
                            "not-salvaged",
                            with.json().createObjectNode().put("detail", e.getMessage()));
        } finally {
            deleteQuietly(part);
        }
    }

    /** What one child fills, those after it would fill again. */
    private long room(Child child) throws IOException {
        FileStore disk = Files.getFileStore(with.settings().directory());
        long free = disk.getUsableSpace() - Math.min(LEFT_FREE, disk.getTotalSpace() / 10);
        long kept = 0;
        for (Path file : with.children().salvages(child.session())) {
            kept += Files.exists(file) ? Files.size(file) : 0;
        }
        long volume = child.terms().limits().diskBytes() + TAR_OVERHEAD;
        return Math.min(volume, Math.min(free, KEPT_PER_SESSION - kept));
    }

    private static void deleteQuietly(Path file) {
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            log.warn("{} not removed: {}", file, e.getMessage());
        }
    }

    private static OutputStream capped(Path file, long limit) throws IOException {
        return new FilterOutputStream(Files.newOutputStream(file)) {
            private long left = limit;

            @Override
            public void write(int b) throws IOException {
                take(1);
                out.write(b);
            }

            @Override
            public void write(byte[] bytes, int offset, int length) throws IOException {
                take(length);
                out.write(bytes, offset, length);
            }

            private void take(int length) throws IOException {
                left -= length;
                if (left < 0) {
                    throw new IOException("more than there is room for: " + limit);
                }
            }
        };
    }
}
