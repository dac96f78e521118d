package dev.sallyport.gateway.workspace;

import dev.sallyport.gateway.workspace.ChangedFile.Kind;
import dev.sallyport.identity.ChildId;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * What the gateway does with repositories. Every operation runs in a process of its own and throws
 * {@link WorkspaceException}; none writes to a repository but {@link #importBranch}. A linked worktree is accepted where
 * its main repository lies below the roots too and names it in turn.
 *
 * <p>Trust: the repository itself may have been written by a child, so nothing in it is followed out of it. What is not
 * covered is a process that swaps directories of a repository for links, back and forth, while an operation reads it; the
 * caller keeps children that can write to a directory from being cloned from (S5).
 */
public final class Workspaces {

    private final GitProcess process;

    /** Removes what an import left behind that died with its gateway. */
    public Workspaces(WorkspaceSettings settings) {
        this.process = new GitProcess(settings);
        process.recover();
    }

    /** {@code directory} may be anywhere in the work tree. */
    public Head head(Path directory) {
        Answer answer = process.run("head", directory.toString());
        return new Head(
                Path.of(answer.next()),
                answer.next(),
                answer.next(),
                Optional.of(answer.next()).filter(branch -> !branch.isEmpty()),
                answer.nextInt() == 1 ? OptionalInt.of(answer.nextInt()) : OptionalInt.empty(),
                answer.nextList());
    }

    /**
     * The commit that the branch of this child is at now, whoever moved it since.
     *
     * @throws WorkspaceException.Refused {@link WorkspaceRefusal#COMMIT_MISSING} if there is no such branch
     */
    public String tip(Path directory, ChildId child) {
        return process.run("tip", directory.toString(), child.value()).next();
    }

    /** {@link #export(Path, String, String, Path)} of HEAD. */
    public Bundle export(Path directory, String branch, Path target) {
        return export(directory, null, branch, target);
    }

    /**
     * Writes the whole history of a commit to {@code target} as {@code refs/heads/<branch>}. Uncommitted files, other
     * branches, tags and configuration stay behind.
     *
     * @param commit null for HEAD
     * @param branch its name in the bundle, not one of the repository
     * @param target overwritten where it exists, absent after a failure
     */
    public Bundle export(Path directory, @Nullable String commit, String branch, Path target) {
        Answer answer =
                process.run("export", directory.toString(), commit == null ? "" : commit, branch, target.toString());
        return new Bundle(target, answer.nextLong(), branch, answer.next());
    }

    /**
     * Checks a child's bundle and makes its branch {@code pi-agent-<child>} in the repository, expecting it absent (S16).
     * The same bundle a second time gets the same answer; a branch without a commit of its own is not made.
     *
     * @param base the commit that {@link #export} returned when the child was made
     */
    public ImportedBranch importBranch(Path directory, Path bundle, ChildId child, String base) {
        Answer answer = process.run("import", directory.toString(), bundle.toString(), child.value(), base);
        String tip = answer.next();
        return new ImportedBranch(branch(child), base, tip, files(answer), answer.nextList());
    }

    /** A unified diff of two commits. Binary files are named, not shown; no filter, driver or attribute is honoured. */
    public String diff(Path directory, String base, String tip) {
        return process.run("diff", directory.toString(), base, tip).next();
    }

    /** What differs between two commits, with the new contents, by path. */
    public List<ChangedFile> changes(Path directory, String base, String tip) {
        return files(process.run("changes", directory.toString(), base, tip));
    }

    /** The name of the branch that a child's work comes back as. */
    public static String branch(ChildId child) {
        return "pi-agent-" + child;
    }

    private static List<ChangedFile> files(Answer answer) {
        int count = answer.nextInt();
        List<ChangedFile> files = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            files.add(new ChangedFile(
                    answer.next(),
                    answer.next(),
                    Kind.valueOf(answer.next()),
                    answer.nextNullable(),
                    answer.nextNullable()));
        }
        return files;
    }
}
