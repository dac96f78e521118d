package dev.sallyport.gateway.sandbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.containment.Limits;
import dev.sallyport.identity.ChildId;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What every driver promises. A new driver passes by extending this class, not by having tests of its own. */
public abstract class SandboxDriverContract {

    protected static final Limits LIMITS = new Limits(1000, 128 << 20, 64, Duration.ofMinutes(1), 32 << 20);

    private static final SecureRandom RANDOM = new SecureRandom();

    protected abstract SandboxDriver driver();

    /** A driver of another installation on the same backend. */
    protected abstract SandboxDriver foreignDriver();

    /** A child that goes on until it is ended, with an image that exists and no workspace. */
    protected abstract SandboxSpec thatStays(SandboxId id);

    protected abstract SandboxSpec thatExits(SandboxId id, int exitCode);

    protected static SandboxId anId() {
        return new SandboxId(ChildId.random(RANDOM), 1);
    }

    @Test
    void aCreatedSandboxRuns() {
        SandboxId id = anId();

        driver().create(thatStays(id));

        assertThat(driver().inspect(id)).isEqualTo(new SandboxState.Running());
        assertThat(driver().list()).contains(id);
    }

    @Test
    void tellsHowItEnded() throws InterruptedException {
        SandboxId id = anId();

        driver().create(thatExits(id, 7));

        assertThat(driver().awaitExit(id)).isEqualTo(new SandboxState.Exited(7, false));
        assertThat(driver().inspect(id)).isEqualTo(new SandboxState.Exited(7, false));
        assertThat(driver().list()).contains(id);
    }

    @Test
    void whoeverAwaitsASandboxThatIsRemovedIsTold() throws Exception {
        SandboxId id = anId();
        driver().create(thatStays(id));
        CompletableFuture<SandboxState.Ended> end = CompletableFuture.supplyAsync(() -> {
            try {
                return driver().awaitExit(id);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });

        driver().remove(id);

        assertThat(end.get(10, TimeUnit.SECONDS)).isIn(new SandboxState.Exited(137, false), new SandboxState.Gone());
    }

    @Test
    void removingTwiceIsNotAnError() throws InterruptedException {
        SandboxId id = anId();
        driver().create(thatStays(id));

        driver().remove(id);
        driver().remove(id);

        assertThat(driver().inspect(id)).isEqualTo(new SandboxState.Gone());
        assertThat(driver().awaitExit(id)).isEqualTo(new SandboxState.Gone());
        assertThat(driver().list()).doesNotContain(id);
    }

    @Test
    void aSecondSandboxOfTheSameIdIsRefusedAndTheFirstUnharmed() {
        SandboxId id = anId();
        driver().create(thatStays(id));

        assertThatThrownBy(() -> driver().create(thatStays(id))).isInstanceOf(SandboxException.AlreadyExists.class);

        assertThat(driver().inspect(id)).isEqualTo(new SandboxState.Running());
    }

    @Test // T54
    void theNextIncarnationIsAnotherSandbox() {
        SandboxId first = anId();
        SandboxId second = new SandboxId(first.child(), 2);
        driver().create(thatStays(first));
        driver().remove(first);
        driver().create(thatStays(second));

        driver().remove(first);

        assertThat(driver().inspect(second)).isEqualTo(new SandboxState.Running());
    }

    @Test
    void saysSoWhenTheImageDoesNotExist() {
        SandboxSpec spec = thatStays(anId());
        ImageId absent = new ImageId("sha256:" + "0".repeat(64));

        assertThatThrownBy(() -> driver().create(new SandboxSpec(
                        spec.id(),
                        absent,
                        spec.user(),
                        spec.doorDirectory(),
                        spec.workspace(),
                        spec.limits(),
                        spec.runtime())))
                .isInstanceOf(SandboxException.ImageNotFound.class)
                .hasMessageContaining(absent.value());
        assertThat(driver().inspect(spec.id())).isEqualTo(new SandboxState.Gone());
    }

    @Test // S28
    void twoInstallationsNeverTouchEachOther() {
        SandboxId id = anId();
        driver().create(thatStays(id));

        foreignDriver().remove(id);

        assertThat(foreignDriver().list()).doesNotContain(id);
        assertThat(foreignDriver().inspect(id)).isEqualTo(new SandboxState.Gone());
        assertThat(driver().inspect(id)).isEqualTo(new SandboxState.Running());
    }

    @Test // S28
    void aVolumeOfAnotherInstallationIsNotThere() throws IOException {
        SandboxSpec spec = thatStays(anId());
        VolumeId volume = new VolumeId(spec.id().child());
        driver().createVolume(volume, spec.image(), spec.user(), LIMITS.diskBytes());

        foreignDriver().removeVolume(volume);

        assertThat(foreignDriver().volumes()).doesNotContain(volume);
        assertThatThrownBy(
                        () -> foreignDriver().salvage(volume, spec.image(), spec.user(), new ByteArrayOutputStream()))
                .isInstanceOf(SandboxException.Rejected.class);
        assertThat(driver().volumes()).contains(volume);
    }

    @Test
    void aVolumeOutlivesItsSandboxAndIsRemovedOnce() {
        SandboxSpec spec = thatStays(anId());
        VolumeId volume = new VolumeId(spec.id().child());
        driver().createVolume(volume, spec.image(), spec.user(), LIMITS.diskBytes());
        driver().createVolume(volume, spec.image(), spec.user(), LIMITS.diskBytes());
        driver().create(spec);

        driver().remove(spec.id());

        assertThat(driver().volumes()).contains(volume);
        driver().removeVolume(volume);
        driver().removeVolume(volume);
        assertThat(driver().volumes()).doesNotContain(volume);
    }

    @Test
    void aSandboxWithoutItsVolumeIsRefused() {
        SandboxSpec spec = thatStays(anId());
        WorkspaceMount absent = new WorkspaceMount.Volume(new VolumeId(spec.id().child()));

        assertThatThrownBy(() -> driver().create(new SandboxSpec(
                        spec.id(),
                        spec.image(),
                        spec.user(),
                        spec.doorDirectory(),
                        absent,
                        spec.limits(),
                        spec.runtime())))
                .isInstanceOf(SandboxException.Rejected.class);
    }

    @Test
    void whatDoesNotRunCannotBeVerified() {
        SandboxId unknown = anId();

        assertThatThrownBy(() -> driver().workspaceFileKey(unknown)).isInstanceOf(SandboxException.Unverifiable.class);
        assertThatThrownBy(() -> driver().enforcements(unknown)).isInstanceOf(SandboxException.Unverifiable.class);
    }

    @Test
    void namesEveryEnforcementOnce() {
        SandboxId id = anId();
        driver().create(thatStays(id));

        List<String> names =
                driver().enforcements(id).stream().map(Enforcement::name).toList();

        assertThat(names).doesNotHaveDuplicates().contains("memory", "cpu", "processes", "disk", "seccomp", "network");
    }
}
