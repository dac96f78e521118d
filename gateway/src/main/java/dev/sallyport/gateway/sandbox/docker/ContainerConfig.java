package dev.sallyport.gateway.sandbox.docker;

import com.github.dockerjava.api.command.CreateContainerCmd;
import com.github.dockerjava.api.model.Capability;
import com.github.dockerjava.api.model.HealthCheck;
import com.github.dockerjava.api.model.HostConfig;
import com.github.dockerjava.api.model.LogConfig;
import com.github.dockerjava.api.model.Mount;
import com.github.dockerjava.api.model.MountType;
import com.github.dockerjava.api.model.RestartPolicy;
import com.github.dockerjava.api.model.Ulimit;
import com.github.dockerjava.api.model.VolumeOptions;
import dev.sallyport.containment.Limits;
import dev.sallyport.gateway.sandbox.SandboxSpec;
import dev.sallyport.gateway.sandbox.SandboxUser;
import dev.sallyport.gateway.sandbox.VolumeId;
import dev.sallyport.gateway.sandbox.WorkspaceMount;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Docker's view of a sandbox. Pure: no engine is asked. No spec can weaken what stands here. */
final class ContainerConfig {

    static final String WORKSPACE = "/workspace";
    static final String DOOR = "/run/sallyport";

    private static final long MIB = 1L << 20;
    private static final long NANO_CPUS_PER_MILLI = 1_000_000L;
    private static final long MAX_SHARED_MEMORY = 64 * MIB;
    private static final long OPEN_FILES = 16_384;
    // Whatever runs short of memory on the host, a child goes before the gateway, the engine and the database.
    private static final int OOM_SCORE = 500;

    private static final Limits HELPER_LIMITS = new Limits(1000, 128 * MIB, 16, Duration.ofMinutes(10), MIB);

    private final Labels labels;

    ContainerConfig(Labels labels) {
        this.labels = labels;
    }

    /** @param runtime the engine's name for {@code spec.runtime()} */
    CreateContainerCmd child(CreateContainerCmd request, SandboxSpec spec, String runtime) {
        List<Mount> mounts = new ArrayList<>();
        mounts.add(bind(spec.doorDirectory().toString(), DOOR, true));
        if (spec.extensions() != null) {
            mounts.add(bind(spec.extensions().toString(), SandboxSpec.EXTENSIONS, true));
        }
        Map<String, String> tmpfs = tmpfs(spec.user(), spec.limits());
        switch (spec.workspace()) {
            // There in every image, so that a child without a workspace has a directory to be in all the same.
            case WorkspaceMount.None() -> tmpfs.put(WORKSPACE, "ro,noexec,nosuid,nodev,size=4k,mode=0555");
            case WorkspaceMount.Bind(var source, var readOnly) ->
                mounts.add(bind(source.path().toString(), WORKSPACE, readOnly));
            case WorkspaceMount.Volume(var volume) -> mounts.add(volume(volume, false));
        }
        return harden(request, spec.user().toString())
                .withName(labels.name(spec.id()))
                .withLabels(labels.of(spec.id()))
                .withEntrypoint("/usr/bin/tini", "-g", "--", "/opt/sallyport/bin/runner")
                .withHostConfig(hostConfig(spec.limits())
                        .withRuntime(runtime)
                        .withMounts(mounts)
                        .withTmpFs(tmpfs));
    }

    /**
     * Reads a child's volume to standard output, with the rights of the child and nothing else (S15). What the child has
     * locked itself out of is left out.
     */
    CreateContainerCmd salvage(CreateContainerCmd request, VolumeId volume, SandboxUser owner) {
        return helper(request, volume, true, owner.toString(), new Capability[0])
                .withEntrypoint("/usr/bin/tar", "--ignore-failed-read", "-C", WORKSPACE, "-cf", "-", ".")
                .withAttachStdout(true)
                .withAttachStderr(true);
    }

    /** Gives an empty volume to the child's user. No code of a child has ever run near it. */
    CreateContainerCmd handOver(CreateContainerCmd request, VolumeId volume, SandboxUser owner) {
        return helper(request, volume, false, "0:0", new Capability[] {Capability.CHOWN})
                .withEntrypoint("/usr/bin/chown", owner.toString(), WORKSPACE);
    }

    private CreateContainerCmd helper(
            CreateContainerCmd request, VolumeId volume, boolean readOnly, String user, Capability[] capabilities) {
        return harden(request, user)
                .withLabels(labels.ofHelper(volume))
                .withHostConfig(hostConfig(HELPER_LIMITS)
                        .withCapAdd(capabilities)
                        .withRuntime("runc")
                        .withMounts(List.of(volume(volume, readOnly))));
    }

    private static CreateContainerCmd harden(CreateContainerCmd request, String user) {
        return request.withUser(user)
                .withHostName("sallyport")
                // The root, and not the workspace: the engine would follow what lies there (S12).
                .withWorkingDir("/")
                .withEnv(
                        "HOME=/home/agent",
                        "LANG=C.UTF-8",
                        "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin")
                .withCmd()
                // An image's health check would be a second program, started by the engine.
                .withHealthcheck(new HealthCheck().withTest(List.of("NONE")))
                .withTty(false)
                .withStdinOpen(false);
    }

    private static HostConfig hostConfig(Limits limits) {
        return new MaskedHostConfig()
                .withPrivileged(false)
                .withCapDrop(Capability.ALL)
                .withSecurityOpts(List.of("no-new-privileges", "seccomp=" + Seccomp.PROFILE))
                .withReadonlyRootfs(true)
                .withNetworkMode("none")
                .withIpcMode("private")
                .withCgroupnsMode("private")
                .withNanoCPUs(limits.cpuMillis() * NANO_CPUS_PER_MILLI)
                .withMemory(limits.memoryBytes())
                // Docker's default lets a container swap as much again as its memory limit.
                .withMemorySwap(limits.memoryBytes())
                .withPidsLimit((long) limits.pids())
                .withShmSize(Math.min(limits.memoryBytes() / 4, MAX_SHARED_MEMORY))
                .withOomScoreAdj(OOM_SCORE)
                .withUlimits(List.of(
                        new Ulimit("core", 0L, 0L),
                        new Ulimit("fsize", limits.diskBytes(), limits.diskBytes()),
                        new Ulimit("nofile", OPEN_FILES, OPEN_FILES)))
                .withLogConfig(new LogConfig(
                        LogConfig.LoggingType.LOCAL, new TreeMap<>(Map.of("max-file", "2", "max-size", "1m"))))
                .withRestartPolicy(RestartPolicy.noRestart())
                .withAutoRemove(false);
    }

    /** What lies there counts as memory, so neither can use all of it alone. */
    private static Map<String, String> tmpfs(SandboxUser user, Limits limits) {
        Map<String, String> tmpfs = new TreeMap<>();
        tmpfs.put("/tmp", "rw,exec,nosuid,nodev,mode=1777,size=" + limits.memoryBytes() / 2);
        tmpfs.put(
                "/home/agent",
                "rw,exec,nosuid,nodev,mode=0700,uid=%d,gid=%d,size=%d"
                        .formatted(user.uid(), user.gid(), limits.memoryBytes() / 4));
        return tmpfs;
    }

    /** By the Mounts API: unlike a `-v` it never creates a source that is missing. */
    private static Mount bind(String source, String target, boolean readOnly) {
        return new Mount()
                .withType(MountType.BIND)
                .withSource(source)
                .withTarget(target)
                .withReadOnly(readOnly)
                .withBindOptions(new NonRecursiveBind());
    }

    private Mount volume(VolumeId volume, boolean readOnly) {
        return new Mount()
                .withType(MountType.VOLUME)
                .withSource(labels.name(volume))
                .withTarget(WORKSPACE)
                .withReadOnly(readOnly)
                .withVolumeOptions(new VolumeOptions().withNoCopy(true));
    }
}
