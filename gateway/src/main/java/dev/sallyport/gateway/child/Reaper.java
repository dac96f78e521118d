package dev.sallyport.gateway.child;

import dev.sallyport.gateway.sandbox.SandboxException;
import dev.sallyport.gateway.sandbox.SandboxId;
import dev.sallyport.gateway.sandbox.VolumeId;
import dev.sallyport.identity.ChildId;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings rows and sandboxes together again after a crash on either side. What another installation made is invisible to the
 * driver, and so is never touched (S28).
 */
final class Reaper {

    private static final Logger log = LoggerFactory.getLogger(Reaper.class);

    private static final int FORGOTTEN_AT_ONCE = 1_000;

    private final Surroundings with;
    private final Lives lives;
    private final Remains remains;
    private @Nullable Long silentSince;

    Reaper(Surroundings with, Lives lives, Remains remains) {
        this.with = with;
        this.lives = lives;
        this.remains = remains;
    }

    /** Takes over every child that an earlier gateway left. Called once, before anything is served. */
    void adopt() {
        for (Child child : with.children().unsettled()) {
            if (child.endedAt() == null) {
                lives.lead(child);
            }
        }
    }

    /** Removes what nobody claims, and finishes what could not be finished. Called every few seconds. */
    synchronized void sweep() {
        try {
            // INVARIANT: listed before the rows are read. A sandbox is made after its row, so one without is an orphan.
            List<SandboxId> sandboxes = with.driver().list();
            List<VolumeId> volumes = with.driver().volumes();
            List<Child> unsettled = with.children().unsettled();
            removeOrphans(sandboxes, volumes, unsettled);
            unsettled.stream().filter(child -> child.endedAt() != null).forEach(this::finish);
            lives.endOrphans();
            with.metrics().engineUp(true);
            silentSince = null;
        } catch (SandboxException.BackendUnavailable e) {
            silent(e);
        }
    }

    /** Forgets who was over for longer than anybody keeps them. Called now and then. */
    void forget() {
        Instant before = with.clock().instant().minus(with.settings().retention());
        for (Child child : with.children().overBefore(before, FORGOTTEN_AT_ONCE)) {
            try {
                remains.forget(child);
                log.info("child {} is over since {}; forgotten", child.id(), child.endedAt());
            } catch (IOException e) {
                log.warn("what was saved of child {}: {}", child.id(), e.getMessage());
            }
        }
    }

    private void removeOrphans(List<SandboxId> sandboxes, List<VolumeId> volumes, List<Child> unsettled) {
        Set<SandboxId> claimed = unsettled.stream().map(Child::sandbox).collect(Collectors.toSet());
        for (SandboxId sandbox : sandboxes) {
            if (!claimed.contains(sandbox)) {
                log.warn("sandbox {} belongs to no child; removed", sandbox);
                remove(() -> with.driver().remove(sandbox), "sandbox");
            }
        }
        Set<ChildId> children = unsettled.stream().map(Child::id).collect(Collectors.toSet());
        for (VolumeId volume : volumes) {
            if (!children.contains(volume.child())) {
                log.warn("volume {} belongs to no child; removed", volume);
                remove(() -> with.driver().removeVolume(volume), "volume");
            }
        }
    }

    private void remove(Runnable removal, String kind) {
        try {
            removal.run();
            with.metrics().orphanRemoved(kind);
        } catch (SandboxException.NotRemoved e) {
            log.warn("{}; will be tried again", e.getMessage());
        }
    }

    /** It has ended for everybody, but something of it was left or untold. */
    private void finish(Child child) {
        try {
            remains.remove(child);
            remains.settle(child);
        } catch (SandboxException.NotRemoved e) {
            log.warn("{}; will be tried again", e.getMessage());
        }
    }

    private void silent(SandboxException.BackendUnavailable e) {
        with.metrics().engineUp(false);
        long now = System.nanoTime();
        Long since = silentSince;
        if (since == null) {
            log.warn("the sandbox backend does not answer: {}", e.getMessage());
            silentSince = now;
        } else if (Duration.ofNanos(now - since).compareTo(with.settings().engine()) > 0) {
            lives.lose("the sandbox backend did not answer for %d s"
                    .formatted(with.settings().engine().toSeconds()));
        }
    }
}
