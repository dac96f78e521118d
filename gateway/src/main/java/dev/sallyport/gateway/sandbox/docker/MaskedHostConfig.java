package dev.sallyport.gateway.sandbox.docker;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.github.dockerjava.api.model.HostConfig;
import java.util.List;

/**
 * Fixes which paths of {@code /proc} and {@code /sys} are hidden or read-only, which docker-java leaves to the engine's
 * version (S12).
 */
final class MaskedHostConfig extends HostConfig {

    private static final long serialVersionUID = 1L;

    private static final List<String> MASKED = List.of(
            "/proc/acpi",
            "/proc/asound",
            "/proc/interrupts",
            "/proc/kallsyms",
            "/proc/kcore",
            "/proc/keys",
            "/proc/latency_stats",
            "/proc/modules",
            "/proc/sched_debug",
            "/proc/scsi",
            "/proc/timer_list",
            "/proc/timer_stats",
            "/sys/devices/virtual/powercap",
            "/sys/firmware");

    private static final List<String> READ_ONLY =
            List.of("/proc/bus", "/proc/fs", "/proc/irq", "/proc/sys", "/proc/sysrq-trigger");

    @JsonProperty("MaskedPaths")
    List<String> maskedPaths() {
        return MASKED;
    }

    @JsonProperty("ReadonlyPaths")
    List<String> readonlyPaths() {
        return READ_ONLY;
    }
}
