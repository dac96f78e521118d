package dev.sallyport.runner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.sallyport.json.CanonicalJson;
import dev.sallyport.json.JsonObject;
import dev.sallyport.runner.door.Answer;
import dev.sallyport.runner.door.Assignment;
import dev.sallyport.runner.door.Door;
import dev.sallyport.runner.door.FakeDoor;
import dev.sallyport.testing.CaseFiles;
import dev.sallyport.testing.CaseFiles.Case;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The worked cases of authority.md 8 on a real clone and its real bundle. */
@Timeout(120)
class WorktreeCasesTest {

    private static final String AREA = "worktree";

    /** Of git's own list of copies and where they lie; a child's clone lies in its sandbox. */
    private static final Set<String> NOT_OURS =
            Set.of("dirPrefixOk", "workPathSuffix", "detached", "worktreeDirExists", "worktreeListAfterPrune");

    /** Cases that cannot apply, and why. */
    private static final Map<String, String> EXCLUDED = Map.of(
            "branch exists", "a branch bears its child's random id; one in the way is refused and the work salvaged",
            "agent switched to own branch and committed", "other branches of a clone never leave it (S16)",
            "id with bad ref chars", "an id is 16 letters and digits");

    private static int passed;
    private static int run;

    @TempDir
    Path directory;

    static Stream<Case> cases() {
        return CaseFiles.authority().stream().filter(c -> c.area().equals(AREA) && !EXCLUDED.containsKey(c.name()));
    }

    @Test
    void everyExclusionIsACase() {
        assumeThat(System.getProperty("sallyport.cases")).isNull();

        assertThat(CaseFiles.authority().stream()
                        .filter(c -> c.area().equals(AREA))
                        .map(Case::name))
                .containsAll(EXCLUDED.keySet());
    }

    @ParameterizedTest
    @MethodSource("cases")
    void givesTheRightAnswer(Case c) throws Exception {
        run++;

        assertThat(CanonicalJson.write(ours(played(c.input())))).isEqualTo(CanonicalJson.write(ours(c.expected())));
        passed++;
    }

    @AfterAll
    static void printTheTable() {
        System.out.printf("%-24s %6d %6d %8d%n", AREA, passed, run - passed, EXCLUDED.size());
        EXCLUDED.forEach((name, reason) -> System.out.printf("excluded: %s: %s: %s%n", AREA, name, reason));
    }

    private Map<String, Object> played(JsonObject input) throws Exception {
        Path source = Files.createDirectory(directory.resolve("source"));
        Path work = Files.createDirectory(directory.resolve("work"));
        prepare(source, input);
        String from = input.text("from");
        String id = input.text("agentId");
        String branch = "pi-agent-" + id;
        Optional<String> base = head(source.resolve(from));
        try (FakeDoor gateway = new FakeDoor(directory)) {
            if (base.isEmpty()) {
                // What the gateway says where there is no repository: the child never gets as far as to a clone.
                return Map.of("created", false);
            }
            sh(source, "git bundle create -q ../source.bundle HEAD");
            gateway.source(Files.readAllBytes(directory.resolve("source.bundle")));
            Door door = new Door(gateway.socket(), Duration.ofSeconds(10));
            CloneWorkspace clone = new CloneWorkspace(work, new Assignment.Branch(branch, base.get()), id);
            String head = clone.prepare(door);
            Map<String, Object> json = new LinkedHashMap<>();
            json.put("created", true);
            json.put("branch", sh(work, "git branch --show-current"));
            json.put("baseIsHead", head.equals(base.get()));
            json.put("copyFiles", lines(sh(work, "find . -path ./.git -prune -o -type f -print | LC_ALL=C sort")));
            json.put("aTxt", Files.readString(work.resolve("a.txt")).strip());
            for (JsonObject operation : input.objects("agentOps")) {
                operate(work, operation);
            }
            json.put("cleanup", cleanup(clone, door, gateway, source, branch, input.text("description")));
            json.put("branches", lines(sh(source, "git for-each-ref --format='%(refname:short)' refs/heads")));
            if (gateway.deliveries() > 0) {
                describe(json, source, branch);
            }
            return json;
        }
    }

    private static Optional<String> head(Path at) throws IOException, InterruptedException {
        if (!Files.isDirectory(at)) {
            return Optional.empty();
        }
        String head = sh(at, "git rev-parse -q --verify HEAD 2> /dev/null || true");
        return head.isEmpty() ? Optional.empty() : Optional.of(head);
    }

    private static void prepare(Path source, JsonObject input) throws Exception {
        switch (input.text("repo")) {
            case "none" -> Files.writeString(source.resolve("a.txt"), "a\n");
            case "empty" -> sh(source, "git init -q -b main");
            case "ok" -> {
                sh(source, """
                        git init -q -b main
                        git config user.name someone
                        git config user.email someone@example.com
                        echo a > a.txt; echo ign/ > .gitignore; mkdir pkg; echo p > pkg/p.txt
                        git add .; git commit -q -m first""");
                for (JsonObject operation : input.objects("mainCheckoutOps")) {
                    operate(source, operation);
                }
            }
            default -> throw new IllegalArgumentException("repo " + input.text("repo"));
        }
    }

    private static void operate(Path at, JsonObject operation) throws Exception {
        String name = Stream.of(
                        "write",
                        "stage",
                        "rm",
                        "commit",
                        "checkoutB",
                        "lockIndex",
                        "rmWorktree",
                        "symlink",
                        "resetToBase")
                .filter(one -> operation.optional(one) != null)
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("unknown operation"));
        String value = operation.optional(name) instanceof String text ? text : "";
        switch (name) {
            case "write" -> {
                Path file = at.resolve(value);
                Files.createDirectories(file.getParent());
                String content = operation.optionalText("content");
                Files.writeString(file, content == null ? "new\n" : content);
            }
            case "stage" -> sh(at, "git add '%s'".formatted(value));
            case "rm" -> Files.delete(at.resolve(value));
            case "commit" -> sh(at, "git add -A; git commit -q -m '%s'".formatted(value));
            case "checkoutB" -> sh(at, "git checkout -q -b '%s'".formatted(value));
            case "lockIndex" -> Files.createFile(at.resolve(".git/index.lock"));
            case "rmWorktree" -> sh(at.getParent(), "rm -rf '%s'".formatted(at));
            case "resetToBase" -> sh(at, "git reset -q --hard $(git rev-list --max-parents=0 HEAD)");
            default -> Files.createSymbolicLink(at.resolve(value), Path.of("a.txt"));
        }
    }

    private Map<String, Object> cleanup(
            CloneWorkspace clone, Door door, FakeDoor gateway, Path source, String branch, String title)
            throws Exception {
        Map<String, Object> json = new LinkedHashMap<>();
        Optional<Answer> answer;
        try {
            answer = clone.deliver(door, title);
        } catch (GitException lost) {
            // The original's end of it; here the child fails and the gateway saves its whole volume (S15).
            answer = Optional.empty();
        }
        json.put("hasChanges", answer.isPresent());
        json.put("branch", answer.isPresent() ? branch : null);
        if (answer.isPresent()) {
            Path bundle = Files.write(directory.resolve("result.bundle"), gateway.delivered());
            sh(source, "git fetch -q %s %s:%s".formatted(bundle, branch, branch));
        }
        return json;
    }

    private static void describe(Map<String, Object> json, Path source, String branch) throws Exception {
        String subject = sh(source, "git log -1 --format=%s " + branch);
        json.put("subject", subject.length() > 60 ? subject.substring(0, 20) : subject);
        json.put("subjectLength", subject.length());
        json.put("commitsAhead", Integer.parseInt(sh(source, "git rev-list --count main.." + branch)));
        json.put("filesOnBranch", lines(sh(source, "git ls-tree -r --name-only " + branch)));
    }

    private static List<String> lines(String text) {
        return text.lines().toList();
    }

    /** Without the fields that are not ours, and without those that say nothing. */
    private static @Nullable Object ours(@Nullable Object value) {
        return switch (value) {
            case Map<?, ?> members -> {
                Map<String, Object> kept = new LinkedHashMap<>();
                members.forEach((key, member) -> {
                    if (member != null && !NOT_OURS.contains(key)) {
                        kept.put((String) key, ours(member));
                    }
                });
                yield kept;
            }
            case List<?> items -> {
                List<Object> kept = new ArrayList<>();
                items.forEach(item -> kept.add(ours(item)));
                yield kept;
            }
            case null, default -> value;
        };
    }

    private static String sh(Path directory, String script) throws IOException, InterruptedException {
        ProcessBuilder builder = new ProcessBuilder("bash", "-ec", script)
                .directory(directory.toFile())
                .redirectErrorStream(true);
        builder.environment().put("GIT_CONFIG_GLOBAL", "/dev/null");
        Process process = builder.start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
        assertThat(process.waitFor()).as(output).isZero();
        return output;
    }
}
