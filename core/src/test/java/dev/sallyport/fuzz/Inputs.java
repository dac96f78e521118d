package dev.sallyport.fuzz;

import dev.sallyport.agentfile.AgentFileFuzz;
import dev.sallyport.agentfile.ProfilesFuzz;
import dev.sallyport.authority.OperatorPolicyFuzz;
import dev.sallyport.invocation.SettingsFuzz;
import dev.sallyport.toolscope.SelectorsFuzz;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * A program that gives every target its stored inputs, the worst that 64 KiB can hold and seeded mutations of both, and ends with
 * 1 after the first that fails or is not done in time. Its heap is what whoever starts it allows.
 */
final class Inputs {

    private static final int MAX = 65_536;
    private static final long SECONDS = 10;
    private static final Map<String, Consumer<byte[]>> TARGETS = new LinkedHashMap<>();

    static {
        TARGETS.put("agent-file", AgentFileFuzz::fuzzerTestOneInput);
        TARGETS.put("profiles", ProfilesFuzz::fuzzerTestOneInput);
        TARGETS.put("settings", SettingsFuzz::fuzzerTestOneInput);
        TARGETS.put("operator-policy", OperatorPolicyFuzz::fuzzerTestOneInput);
        TARGETS.put("selectors", SelectorsFuzz::fuzzerTestOneInput);
    }

    private Inputs() {}

    /** Arguments: the directory of stored inputs, a seed, mutations per target. */
    public static void main(String[] arguments) throws Exception {
        Path stored = Path.of(arguments[0]);
        long seed = Long.parseLong(arguments[1]);
        int mutations = Integer.parseInt(arguments[2]);
        for (Map.Entry<String, Consumer<byte[]>> target : TARGETS.entrySet()) {
            Random random = new Random(seed);
            List<byte[]> inputs = new ArrayList<>(stored(stored.resolve(target.getKey())));
            inputs.addAll(worst());
            long slowest = 0;
            for (byte[] input : inputs) {
                slowest = Math.max(slowest, attempt(target, input, seed));
            }
            for (int i = 0; i < mutations; i++) {
                slowest = Math.max(slowest, attempt(target, mutated(inputs, random), seed));
            }
            System.out.printf(
                    "%s: seed %d, the slowest of %d inputs took %d ms%n",
                    target.getKey(), seed, inputs.size() + mutations, slowest / 1_000_000);
        }
    }

    private static long attempt(Map.Entry<String, Consumer<byte[]>> target, byte[] input, long seed)
            throws InterruptedException {
        List<Throwable> thrown = new ArrayList<>();
        long start = System.nanoTime();
        Thread thread = Thread.ofPlatform().daemon().start(() -> {
            try {
                target.getValue().accept(input);
            } catch (Throwable e) {
                thrown.add(e);
            }
        });
        thread.join(SECONDS * 1_000);
        if (thread.isAlive() || !thrown.isEmpty()) {
            System.out.printf(
                    "%s: %s with seed %d on %d bytes, in hex %s%n",
                    target.getKey(),
                    thrown.isEmpty() ? "no end" : thrown.getFirst(),
                    seed,
                    input.length,
                    HexFormat.of().formatHex(input, 0, Math.min(input.length, 2_000)));
            thrown.forEach(Throwable::printStackTrace);
            Runtime.getRuntime().halt(1);
        }
        return System.nanoTime() - start;
    }

    private static List<byte[]> stored(Path directory) throws IOException {
        List<byte[]> inputs = new ArrayList<>();
        try (Stream<Path> files = Files.list(directory)) {
            for (Path file : files.sorted().toList()) {
                inputs.add(Files.readAllBytes(file));
            }
        }
        return inputs;
    }

    /** As much as fits of what is deep, wide, long, or refers to itself. */
    private static List<byte[]> worst() {
        List<byte[]> inputs = new ArrayList<>();
        for (String part : List.of(
                "[",
                "{",
                "{\"a\":",
                "[1,",
                "a: ",
                "- ",
                "\"",
                "\\",
                "a\n",
                "\0",
                "/",
                "~/../",
                "ext:a/b\n",
                "*",
                "#",
                "\r\n",
                "!!java.lang.Object ",
                "&a [*a,",
                "1",
                "1e9999999,",
                "\ud83d\ude00",
                "\u202e",
                ",")) {
            for (String before :
                    List.of("", "---\n", "---\ntools: ", "---\npermission:\n  bash: ", "{\"permission\": ")) {
                String whole = before + part.repeat(MAX / part.getBytes(StandardCharsets.UTF_8).length);
                inputs.add(Arrays.copyOf(whole.getBytes(StandardCharsets.UTF_8), MAX));
            }
        }
        StringBuilder keys = new StringBuilder("---\n");
        for (int i = 0; keys.length() < MAX - 20; i++) {
            keys.append("key").append(i).append(": x\n");
        }
        inputs.add(keys.append("---\n").toString().getBytes(StandardCharsets.UTF_8));
        return inputs;
    }

    private static byte[] mutated(List<byte[]> inputs, Random random) {
        byte[] input = inputs.get(random.nextInt(inputs.size())).clone();
        if (input.length > 4_096 && random.nextInt(8) > 0) {
            input = Arrays.copyOf(input, 4_096);
        }
        for (int i = 1 + random.nextInt(8); i > 0; i--) {
            byte[] other = inputs.get(random.nextInt(inputs.size()));
            int at = random.nextInt(input.length + 1);
            int to = at + random.nextInt(Math.min(input.length - at, 64) + 1);
            int from = random.nextInt(other.length + 1);
            byte[] put = switch (random.nextInt(3)) {
                case 0 -> new byte[0];
                case 1 -> new byte[] {(byte) random.nextInt(256)};
                default ->
                    Arrays.copyOfRange(other, from, from + random.nextInt(Math.min(other.length - from, 64) + 1));
            };
            byte[] next = new byte[Math.min(MAX, at + put.length + input.length - to)];
            for (int n = 0; n < next.length; n++) {
                next[n] = n < at ? input[n] : n < at + put.length ? put[n - at] : input[to + n - at - put.length];
            }
            input = next;
        }
        return input;
    }
}
