package dev.sallyport.gateway.sandbox.docker;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** Commands on the host, as whoever runs the tests. */
final class Host {

    private Host() {}

    static String run(String... command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(output).isZero();
        return output;
    }

    /** Moves a process into every control group that a child's first process is in. */
    static void joinControlGroupsOf(long child, long process) throws IOException {
        for (String line : Files.readAllLines(Path.of("/proc", Long.toString(child), "cgroup"))) {
            String[] fields = line.split(":", 3);
            Path group = Path.of("/sys/fs/cgroup", fields[1].replace("name=", ""), "." + fields[2]);
            // Where v1 and v2 are mixed, v2 is mounted elsewhere, and one of v1's is enough.
            if (!fields[2].equals("/") && Files.isDirectory(group)) {
                Files.writeString(group.resolve("cgroup.procs"), Long.toString(process));
            }
        }
    }
}
