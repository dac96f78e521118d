package dev.sallyport.runner;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Runs git in the child's clone, where everything may have been prepared by whoever works there: hooks, signing, monitors and
 * pagers are off, not for safety, which is the container's, but so that the result still gets out.
 */
final class Git {

    private static final int LAST_WORDS = 500;

    /** What a git that no longer reads needs to be seen to have ended. */
    private static final Duration BROKEN_PIPE = Duration.ofMillis(500);

    private static final List<String> QUIET = List.of(
            "git",
            "-c",
            "core.hooksPath=/dev/null",
            "-c",
            "core.fsmonitor=false",
            "-c",
            "commit.gpgSign=false",
            "-c",
            "maintenance.auto=false");

    private final Path directory;

    Git(Path directory) {
        this.directory = directory;
    }

    @FunctionalInterface
    interface Feed {

        void to(OutputStream input) throws IOException;
    }

    @FunctionalInterface
    interface Drain {

        void from(InputStream output) throws IOException;
    }

    /** Returns what it printed, without white space at the ends. */
    String run(String... arguments) throws GitException, IOException, InterruptedException {
        return run(input -> {}, arguments);
    }

    private String run(Feed feed, String... arguments) throws GitException, IOException, InterruptedException {
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        run(feed, output -> output.transferTo(printed), arguments);
        return printed.toString(StandardCharsets.UTF_8).strip();
    }

    /**
     * Feeds it, then drains it.
     *
     * @throws GitException if git failed
     * @throws IOException from {@code feed} or {@code drain} only
     */
    void run(Feed feed, Drain drain, String... arguments) throws GitException, IOException, InterruptedException {
        Process process = start(arguments);
        CompletableFuture<String> words = new CompletableFuture<>();
        Thread.ofPlatform().daemon().name("git").start(() -> words.complete(lastWords(process.getErrorStream())));
        try {
            IOException failure = feed(process, feed);
            if (failure != null && !process.waitFor(BROKEN_PIPE)) {
                throw failure;
            }
            drain.from(process.getInputStream());
            int code = process.waitFor();
            if (code != 0) {
                throw new GitException("git %s: exit code %d: %s".formatted(arguments[0], code, words.join()));
            }
        } finally {
            process.destroyForcibly();
        }
    }

    private Process start(String... arguments) throws GitException {
        List<String> command = new ArrayList<>(QUIET);
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command).directory(directory.toFile());
        builder.environment().put("GIT_CONFIG_GLOBAL", "/dev/null");
        try {
            return builder.start();
        } catch (IOException e) {
            throw new GitException(String.valueOf(e.getMessage()));
        }
    }

    /**
     * Returns what went wrong. Input that breaks off leaves git's open, so that git still runs and cannot take it for whole;
     * if git has ended, that was the reason.
     */
    private static @Nullable IOException feed(Process process, Feed feed) {
        OutputStream input = process.getOutputStream();
        try {
            feed.to(input);
            input.close();
            return null;
        } catch (IOException e) {
            return e;
        }
    }

    private static String lastWords(InputStream errors) {
        try {
            byte[] all = errors.readNBytes(64 * 1024);
            errors.transferTo(OutputStream.nullOutputStream());
            String text = new String(all, StandardCharsets.UTF_8).strip();
            return text.substring(Math.max(0, text.length() - LAST_WORDS));
        } catch (IOException e) {
            return "";
        }
    }
}
