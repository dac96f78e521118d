package dev.sallyport.runner;

import dev.sallyport.runner.door.Answer;
import dev.sallyport.runner.door.Assignment;
import dev.sallyport.runner.door.Door;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The child's private clone, from the gateway's bundle to its own (authority.md §8, S15). Both bundles are streamed: neither
 * ever needs a second copy on the child's disk.
 */
final class CloneWorkspace {

    private static final int TITLE = 200;

    private final Assignment.Branch branch;
    private final String child;
    private final Git git;

    CloneWorkspace(Path directory, Assignment.Branch branch, String child) {
        this.branch = branch;
        this.child = child;
        this.git = new Git(directory);
    }

    /** Makes the clone and returns the commit that is checked out. */
    String prepare(Door door) throws GitException, IOException, InterruptedException {
        git.run("init", "-q", "-b", branch.name());
        git.run("config", "user.name", "pi-agent");
        git.run("config", "user.email", child);
        door.fetchWorkspace(this::unbundle);
        // There is no remote, and no ref but the child's own branch.
        git.run("reset", "-q", "--hard", branch.base());
        return git.run("rev-parse", "HEAD");
    }

    /** As {@code git bundle unbundle -}, which is not in every git: a few lines of text, then a pack. */
    private void unbundle(InputStream bundle) throws GitException, IOException, InterruptedException {
        InputStream in = new BufferedInputStream(bundle);
        String line = line(in);
        if (!line.equals("# v2 git bundle")) {
            throw new GitException("not a git bundle");
        }
        while (!line.isEmpty()) {
            line = line(in);
        }
        git.run(in::transferTo, output -> output.transferTo(OutputStream.nullOutputStream()), "index-pack", "--stdin");
    }

    private static String line(InputStream in) throws GitException, IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        for (int b = in.read(); b != '\n'; b = in.read()) {
            if (b < 0) {
                throw new GitException("not a git bundle");
            }
            line.write(b);
        }
        return line.toString(StandardCharsets.UTF_8);
    }

    /**
     * Commits what is left uncommitted and sends the branch; without a change it does nothing.
     *
     * @param title for the commit, cut to 200 characters
     * @return the door's answer; empty if there was nothing to deliver
     */
    Optional<Answer> deliver(Door door, String title) throws GitException, IOException, InterruptedException {
        if (!git.run("status", "--porcelain").isEmpty()) {
            git.run("add", "-A");
            git.run("commit", "-q", "-m", message(title));
        }
        String tip = git.run("rev-parse", "--verify", "HEAD^{commit}");
        if (tip.equals(branch.base())) {
            return Optional.empty();
        }
        String ref = "refs/heads/" + branch.name();
        // The child may have moved to a branch of its own; HEAD is the result.
        git.run("update-ref", ref, tip);
        return Optional.of(door.deliverWorkspace(out -> git.run(
                _ -> {}, output -> output.transferTo(out), "bundle", "create", "-q", "-", ref, "^" + branch.base())));
    }

    private static String message(String title) {
        String line = title.strip().replaceAll("\\s+", " ");
        int end = line.offsetByCodePoints(0, Math.min(TITLE, line.codePointCount(0, line.length())));
        return "pi-agent: " + line.substring(0, end);
    }
}
