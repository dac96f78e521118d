package dev.sallyport.gateway.sandbox.docker;

import java.util.List;

/**
 * What an engine says of itself, for `doctor`.
 *
 * @param runtimeVersion of runc, as its distribution writes it; empty if the engine does not tell
 * @param runtimeVulnerabilities known ways out of a container that this version is open to (S12)
 * @param runtimes names that a runtime class can be mapped to, sorted
 * @param userNamespaces whether the engine maps a container's users to others of the host
 * @param seccomp whether it can filter system calls at all; without, every sandbox is refused by it
 * @param boundedVolumes why clones have no disk limit of their own; empty if they have one
 */
public record DoctorFacts(
        String engineVersion,
        String apiVersion,
        String runtimeVersion,
        List<String> runtimeVulnerabilities,
        List<String> runtimes,
        String cgroupVersion,
        String storageDriver,
        boolean userNamespaces,
        boolean rootless,
        boolean seccomp,
        String kernelVersion,
        String boundedVolumes) {

    public DoctorFacts {
        runtimeVulnerabilities = List.copyOf(runtimeVulnerabilities);
        runtimes = List.copyOf(runtimes);
    }
}
