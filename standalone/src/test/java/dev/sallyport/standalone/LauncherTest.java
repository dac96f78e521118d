package dev.sallyport.standalone;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code ./sallyport} on machines that lack something, each made of a handful of commands. */
class LauncherTest {

    private static final Path LAUNCHER =
            Path.of("../sallyport").toAbsolutePath().normalize();

    /** What the script itself needs. */
    private static final List<String> TOOLS = List.of(
            "bash",
            "dirname",
            "readlink",
            "sed",
            "find",
            "grep",
            "cat",
            "mkdir",
            "touch",
            "rm",
            "cp",
            "mv",
            "chmod",
            "env",
            "seq",
            "tail",
            "tr",
            "kill",
            "setsid",
            "nohup",
            "printf",
            "mktemp",
            "cut",
            "sha256sum");

    @TempDir
    private Path machine;

    private Path commands;

    @BeforeEach
    void emptyMachine() throws IOException {
        commands = Files.createDirectory(machine.resolve("bin"));
        for (String tool : TOOLS) {
            for (String folder : List.of("/usr/bin", "/bin")) {
                if (Files.exists(Path.of(folder, tool)) && Files.notExists(commands.resolve(tool))) {
                    command(tool, "exec %s/%s \"$@\"".formatted(folder, tool));
                }
            }
        }
        // Whatever Java this machine has elsewhere is an old one for the launcher.
        command(
                "sed",
                "case \"$*\" in *JAVA_VERSION*) case \"$*\" in *%s*) ;; *) echo 17; exit ;; esac ;; esac\nexec %s \"$@\""
                        .formatted(machine, Files.exists(Path.of("/usr/bin/sed")) ? "/usr/bin/sed" : "/bin/sed"));
        command("uname", "echo Linux");
        command("sleep", "exit 0");
        command("pgrep", "exit 1");
        command("apt-cache", "exit 1");
        user(0);
    }

    @Test
    void saysInOneSentenceThatNothingIsBuilt() throws Exception {
        Outcome outcome = run("ps");

        assertThat(outcome.exitCode()).isEqualTo(125);
        assertThat(outcome.said()).containsExactly("sallyport: nothing is built yet: run sallyport up");
    }

    @Test
    void saysWhatToInstallWhereItMayNotInstallAnything() throws Exception {
        built();
        user(1000);

        Outcome outcome = run("ps");

        assertThat(outcome.exitCode()).isEqualTo(125);
        assertThat(outcome.said())
                .containsExactly(
                        "sallyport: no Docker engine answers: install and start one (on Debian or Ubuntu, as root:"
                                + " sallyport ps --install-engine)");
    }

    /** Without a terminal nobody was asked: an ordinary verb of a script must not install software. */
    @Test
    void installsNoEngineUnaskedForAnOrdinaryVerb() throws Exception {
        built();
        command("apt-get", "echo \"$@\" >> " + machine.resolve("apt"));

        Outcome outcome = run("run");

        assertThat(outcome.exitCode()).isEqualTo(125);
        assertThat(machine.resolve("apt")).doesNotExist();
    }

    @Test
    void installsAndStartsAnEngineWhereItWasToldToAndSaysSo() throws Exception {
        built();
        engineComesWithApt();

        Outcome outcome = run("ps", "--install-engine");

        assertThat(Files.readString(machine.resolve("apt"))).contains("install", "docker.io");
        assertThat(outcome.said())
                .contains("sallyport: installing docker.io (apt-get, as root)")
                .anyMatch(line -> line.startsWith("sallyport: starting the Docker engine"));
    }

    @Test
    void aBuildMachineCountsAsToldTo() throws Exception {
        built();
        engineComesWithApt();

        run(Map.of("CI", "true"), "ps");

        assertThat(Files.readString(machine.resolve("apt"))).contains("docker.io");
    }

    @Test
    void passesEveryWordToTheCommandLineAsItIs() throws Exception {
        built();
        command("docker", "exit 0");
        String pid = String.valueOf(ProcessHandle.current().pid());
        Files.writeString(
                Files.createDirectories(machine.resolve("home")).resolve("endpoint.json"), "{\"pid\":" + pid + "}");

        Outcome outcome = run("run", "two words", "--", "sh", "-c", "a  b; c");

        assertThat(outcome.said()).contains("[run]", "[two words]", "[--]", "[sh]", "[-c]", "[a  b; c]");
    }

    @Test
    void saysInOneSentenceThatThereIsNoJava() throws Exception {
        for (String verb : List.of("up", "demo", "verify")) {
            Outcome outcome = run(verb);

            assertThat(outcome.exitCode()).isEqualTo(125);
            assertThat(outcome.said())
                    .containsExactly("sallyport: no Java 25 found: install a JDK 25 and set JAVA_HOME to it");
        }
    }

    @Test
    void installsJavaWhereTheDistributionHasItAndAPersonWantsIt() throws Exception {
        command("apt-cache", "test \"$2\" = openjdk-25-jdk-headless");
        command("apt-get", """
                echo "$@" >> %1$s/apt
                case "$*" in *openjdk-25-jdk-headless*)
                  mkdir -p %1$s/jdk/bin
                  printf 'JAVA_VERSION="25.0.1"\n' > %1$s/jdk/release
                  printf '#!/bin/sh\n' > %1$s/jdk/bin/java
                  cp %1$s/jdk/bin/java %1$s/jdk/bin/javac
                  chmod +x %1$s/jdk/bin/java %1$s/jdk/bin/javac
                esac
                """.formatted(machine));

        Outcome refused = onATerminal("n", "up");
        assertThat(refused.exitCode()).isEqualTo(125);
        // Where the terminal shows what was typed is its own affair.
        assertThat(String.join("", refused.said()))
                .contains("sallyport: install Java 25 with apt-get? [y/N] ")
                .endsWith("sallyport: no Java 25 found: install a JDK 25 and set JAVA_HOME to it");
        assertThat(machine.resolve("apt")).doesNotExist();

        Outcome wanted = onATerminal("y", "up");
        assertThat(Files.readString(machine.resolve("apt"))).contains("openjdk-25-jdk-headless");
        assertThat(String.join("", wanted.said()))
                .contains("sallyport: installing openjdk-25-jdk-headless (apt-get, as root)")
                .doesNotContain("no Java 25 found");
    }

    @Test
    void asksOnATerminalBeforeItInstallsAnEngine() throws Exception {
        built();
        engineComesWithApt();

        for (String no : List.of("n", "", "nyes")) {
            Outcome refused = onATerminal(no, "ps");

            assertThat(refused.exitCode()).isEqualTo(125);
            assertThat(String.join("", refused.said()))
                    .contains("sallyport: install a Docker engine (docker.io) with apt-get? [y/N] ")
                    .endsWith(
                            "sallyport: no Docker engine answers: install and start one (on Debian or Ubuntu, as root:"
                                    + " sallyport ps --install-engine)");
            assertThat(machine.resolve("apt")).doesNotExist();
        }

        onATerminal("y", "ps");
        assertThat(Files.readString(machine.resolve("apt"))).contains("docker.io");
        assertThat(machine.resolve("engine-runs")).exists();
    }

    /** No engine, no test: whoever asked for every test must not hear of success. */
    @Test
    void verifyFailsWhereNoEngineCanBeHad() throws Exception {
        built();
        executable(machine.resolve("jdk/bin/javac"), "exit 0");
        command("git", "exit 0");
        command("mvn", "touch " + machine.resolve("maven-ran"));
        user(1000);

        Outcome outcome = run(Map.of("CI", "true"), "verify");

        assertThat(outcome.exitCode()).isEqualTo(125);
        assertThat(outcome.said())
                .containsExactly(
                        "sallyport: no Docker engine answers: install and start one (on Debian or Ubuntu, as root:"
                                + " sallyport verify --install-engine)");
        assertThat(machine.resolve("maven-ran")).doesNotExist();
    }

    @Test
    void saysThatWhatItNeedsCouldNotBeInstalled() throws Exception {
        built();
        command("apt-get", "echo \"E: Unable to locate package\" >&2; exit 100");

        Outcome outcome = run("ps", "--install-engine");

        assertThat(outcome.exitCode()).isEqualTo(125);
        assertThat(outcome.said()).endsWith("sallyport: could not install docker.io; see the lines above");
    }

    @Test // S36
    void takesABaseFromARegistryByDigestOnly() throws Exception {
        command("docker", "echo \"$@\" >> %s/docker; test \"$1\" = pull".formatted(machine));
        String digest = "@sha256:" + "0".repeat(64);

        for (String base : List.of("debian", "debian:trixie", "debian@sha256:beef", digest, "a b" + digest, "")) {
            Outcome outcome = images(base);

            assertThat(outcome.exitCode()).as(base).isEqualTo(125);
            assertThat(outcome.said())
                    .containsExactly("images: SALLYPORT_BASE: `%s` (expected: mmdebstrap or NAME@sha256:DIGEST)"
                            .formatted(base));
        }
        assertThat(machine.resolve("docker")).doesNotExist();

        images("127.0.0.1:5000/debian" + digest);
        assertThat(Files.readString(machine.resolve("docker"))).contains("pull -q 127.0.0.1:5000/debian" + digest);
    }

    @Test
    void saysWhyARegistryGaveNoBase() throws Exception {
        command("docker", "test \"$1\" = pull && { echo trying; echo 'Error: connection refused'; } >&2; exit 1");
        String base = "127.0.0.1:5000/debian@sha256:" + "0".repeat(64);

        Outcome outcome = images(base);

        assertThat(outcome.exitCode()).isEqualTo(125);
        assertThat(outcome.said())
                .endsWith("images: could not pull " + base + ": Error: connection refused")
                .hasSize(2);
    }

    @Test
    void refusesAnOptionOfVerifyThatItDoesNotKnow() throws Exception {
        assertThat(run("verify", "--sok").said()).contains("sallyport: verify takes --soak and nothing else");
    }

    @Test
    void doesNothingWhereAVerbIsOnlyAskedAbout() throws Exception {
        for (String verb : List.of("demo", "up", "down", "doctor", "verify")) {
            Outcome outcome = run(verb, "--help");

            assertThat(outcome.exitCode()).as(verb).isZero();
            assertThat(outcome.said())
                    .contains("Verbs of the launcher")
                    .noneMatch(line -> line.startsWith("sallyport:"));
        }
    }

    @Test
    void saysTheInnermostCauseWhereTheServicesDoNotStart() throws Exception {
        built();
        command("docker", "exit 0");
        executable(machine.resolve("jdk/bin/java"), """
                echo 'Caused by: a.OuterException: no bean'
                echo 'Caused by: a.InnerException: name (expected: a thing)'
                echo 'server stopped'
                exit 1""");

        Outcome outcome = run("ps");

        assertThat(outcome.exitCode()).isEqualTo(125);
        assertThat(outcome.said())
                .singleElement()
                .asString()
                .startsWith("sallyport: sallyport did not start: name (expected: a thing) (see ");
    }

    private void user(int uid) throws IOException {
        command("id", "echo " + uid);
    }

    /** An installation with a Java that only prints what it was called with. */
    private void built() throws IOException {
        Files.createDirectories(machine.resolve("dist/cli"));
        Files.createDirectories(machine.resolve("dist/standalone"));
        Path java = Files.createDirectories(machine.resolve("jdk/bin")).resolve("java");
        executable(java, "for word in \"$@\"; do echo \"[$word]\"; done; exit 0");
        Files.writeString(machine.resolve("jdk/release"), "JAVA_VERSION=\"25.0.1\"\n");
    }

    private void engineComesWithApt() throws IOException {
        String docker = "test -e %s".formatted(machine.resolve("engine-runs"));
        command("apt-get", """
                echo "$@" >> %1$s/apt
                case "$*" in *docker.io*)
                  printf '#!/bin/sh\\n%2$s\\n' > %3$s/docker
                  printf '#!/bin/sh\\ntouch %1$s/engine-runs\\n' > %3$s/dockerd
                  chmod +x %3$s/docker %3$s/dockerd
                esac
                """.formatted(machine, docker, commands));
    }

    private void command(String name, String script) throws IOException {
        executable(commands.resolve(name), script);
    }

    private static void executable(Path file, String script) throws IOException {
        Files.deleteIfExists(file);
        Files.writeString(file, "#!/bin/sh\n" + script + "\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    record Outcome(int exitCode, List<String> said) {}

    private Outcome run(String... words) throws Exception {
        return run(Map.of(), words);
    }

    private Outcome run(Map<String, String> variables, String... words) throws Exception {
        List<String> command = new ArrayList<>(List.of(LAUNCHER.toString()));
        command.addAll(List.of(words));
        return run(variables, Path.of("/dev/null"), command);
    }

    private Outcome images(String base) throws Exception {
        Path script = LAUNCHER.resolveSibling("images/build.sh");
        return run(Map.of("SALLYPORT_BASE", base), Path.of("/dev/null"), List.of(script.toString()));
    }

    /** With somebody there who answers the first question. */
    private Outcome onATerminal(String answer, String verb) throws Exception {
        Path typed = Files.writeString(machine.resolve("typed"), answer + "\n");
        return run(
                Map.of("SHELL", "/bin/sh"),
                typed,
                List.of("/usr/bin/script", "-qec", LAUNCHER + " " + verb, "/dev/null"));
    }

    private Outcome run(Map<String, String> variables, Path input, List<String> command) throws Exception {
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectErrorStream(true).redirectInput(input.toFile());
        builder.environment().clear();
        builder.environment().put("PATH", commands.toString());
        builder.environment().put("HOME", machine.toString());
        builder.environment().put("JAVA_HOME", machine.resolve("jdk").toString());
        builder.environment().put("SALLYPORT_HOME", machine.resolve("home").toString());
        builder.environment().put("SALLYPORT_DIST", machine.resolve("dist").toString());
        builder.environment().putAll(variables);
        Process process = builder.start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        return new Outcome(process.exitValue(), output.lines().toList());
    }
}
