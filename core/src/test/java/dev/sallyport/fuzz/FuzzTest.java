package dev.sallyport.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** No input of 64 KiB crashes a parser, keeps it busy or needs more than 256 MiB. */
class FuzzTest {

    private static final Path STORED = Path.of("src/test/resources/dev/sallyport/fuzz");

    // A process of its own, because its heap is part of what is tested. Jazzer runs the same targets for as long as one
    // likes: core/fuzz.
    @Test // T65, T66
    void noInputHurts() throws Exception {
        long seed = Long.getLong("sallyport.seed", System.nanoTime());
        int mutations = Boolean.getBoolean("sallyport.soak") ? 5_000 : 500;

        Process process = new ProcessBuilder(
                        ProcessHandle.current().info().command().orElseThrow(),
                        "-Xmx256m",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Inputs.class.getName(),
                        STORED.toString(),
                        Long.toString(seed),
                        Integer.toString(mutations))
                .redirectErrorStream(true)
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

        assertThat(process.waitFor()).as(output).isZero();
        assertThat(output.lines()).hasSize(5).allMatch(line -> line.contains("seed " + seed + ", the slowest of"));
    }
}
