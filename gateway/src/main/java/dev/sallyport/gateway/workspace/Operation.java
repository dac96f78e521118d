package dev.sallyport.gateway.workspace;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sallyport.gateway.workspace.WorkspaceException.Refused;
import dev.sallyport.identity.ChildId;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Pattern;
import org.eclipse.jgit.errors.IncorrectObjectTypeException;
import org.eclipse.jgit.errors.MissingObjectException;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.NullProgressMonitor;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.ObjectReader;
import org.eclipse.jgit.lib.Repository;
import org.eclipse.jgit.revwalk.RevTree;
import org.eclipse.jgit.revwalk.RevWalk;
import org.eclipse.jgit.storage.pack.PackConfig;
import org.eclipse.jgit.transport.BundleWriter;

/** One operation of {@link Workspaces}, inside its process. */
final class Operation {

    /** The file that says what an import is about to change, for whoever finds it after a crash. */
    static final String INTENT = "intent";

    /** How long a warning may take: the clone is worth more than the number of files that it lacks. */
    private static final Duration SURVEY = Duration.ofSeconds(5);

    private static final int MAX_ANSWER_FIELDS = 48 << 20;
    private static final Pattern BRANCH = Pattern.compile("[\\p{L}\\p{N}._][\\p{L}\\p{N}._/+#@=,-]{0,199}");
    private static final Pattern COMMIT = Pattern.compile("[0-9a-f]{40}");

    private final WorkspaceSettings settings;
    private final Path scratch;
    private final Answer request;
    private final Answer.Builder answer = new Answer.Builder().add("done");

    /** @param scratch of this operation alone; whoever started the process removes it afterwards */
    private Operation(WorkspaceSettings settings, Path scratch, Answer request) {
        this.settings = settings;
        this.scratch = scratch;
        this.request = request;
    }

    static byte[] run(Answer request) throws IOException {
        String name = request.next();
        Operation operation = new Operation(WorkspaceSettings.from(request), Path.of(request.next()), request);
        switch (name) {
            case "head" -> operation.head();
            case "tip" -> operation.tip();
            case "export" -> operation.export();
            case "import" -> operation.importBranch();
            case "diff" -> operation.diff();
            case "changes" -> operation.changes();
            case "recover" -> operation.recover();
            default -> throw new IllegalArgumentException("no such operation: " + name);
        }
        return operation.answer.toByteArray();
    }

    private void head() throws IOException {
        try (SourceRepository source = source()) {
            ObjectId head = source.head();
            Optional<Integer> uncommitted;
            List<String> notices;
            try (ObjectReader reader = source.objects().newReader();
                    RevWalk walk = new RevWalk(reader)) {
                RevTree tree = walk.parseCommit(head).getTree();
                uncommitted = inTime(() -> new Uncommitted(source).count(tree));
                notices = inTime(() -> Notices.ofClone(reader, tree))
                        .orElse(List.of("submodules and filters were not looked for: the repository is too large"));
            } catch (MissingObjectException e) {
                throw damaged(e);
            }
            source.requireUnmoved();
            answer.add(source.top().toString())
                    .add(source.subdirectory())
                    .add(head.name())
                    .add(source.branch().orElse(""))
                    .add(uncommitted.isPresent() ? 1 : 0);
            uncommitted.ifPresent(answer::add);
            answer.add(notices);
        }
    }

    /** Empty where the task takes too long or meets what it cannot read. */
    private static <T> Optional<T> inTime(Callable<T> task) {
        FutureTask<T> future = new FutureTask<>(task);
        Thread.ofPlatform().daemon().start(future);
        try {
            return Optional.of(future.get(SURVEY.toMillis(), TimeUnit.MILLISECONDS));
        } catch (TimeoutException | ExecutionException e) {
            return Optional.empty();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private void tip() throws IOException {
        try (SourceRepository source = source();
                RevWalk walk = new RevWalk(source.objects().newReader())) {
            String branch = Workspaces.branch(new ChildId(request.next()));
            ObjectId tip = source.ref(Constants.R_HEADS + branch)
                    .orElseThrow(() ->
                            new Refused(WorkspaceRefusal.COMMIT_MISSING, "the repository has no branch " + branch));
            answer.add(walk.parseCommit(tip).name());
        } catch (MissingObjectException e) {
            throw damaged(e);
        } catch (IncorrectObjectTypeException e) {
            throw new Refused(WorkspaceRefusal.REPOSITORY_DAMAGED, "the branch names no commit");
        }
    }

    private void export() throws IOException {
        try (SourceRepository source = source()) {
            String commit = request.next();
            String branch = requireBranch(request.next());
            Path target = Path.of(request.next());
            ObjectId head = commit.isEmpty() ? source.head() : commit(commit);
            boolean done = false;
            try (ObjectReader reader = source.objects().newReader();
                    OutputStream out =
                            new LimitedOutput(Files.newOutputStream(target), settings.exportBytes(), this::tooLarge)) {
                PackConfig config = new PackConfig();
                config.setThreads(1);
                // What is packed stays as it is, the rest is small: time matters more here than a few bytes.
                config.setDeltaCompress(false);
                BundleWriter writer = new BundleWriter(reader);
                writer.setPackConfig(config);
                writer.include(Constants.R_HEADS + branch, head);
                writer.writeBundle(NullProgressMonitor.INSTANCE, out);
                done = true;
            } catch (MissingObjectException e) {
                throw damaged(e);
            } finally {
                if (!done) {
                    Files.deleteIfExists(target);
                }
            }
            source.requireUnmoved();
            answer.add(Files.size(target)).add(head.name());
        }
    }

    private void importBranch() throws IOException {
        Path directory = Path.of(request.next());
        Path bundle = Path.of(request.next());
        String branch = Workspaces.branch(new ChildId(request.next()));
        ObjectId base = commit(request.next());
        try (SourceRepository source = SourceRepository.open(directory, settings.roots(), view())) {
            if (!source.objects().has(base)) {
                throw new Refused(
                        WorkspaceRefusal.COMMIT_MISSING, "the repository lacks the base commit " + base.name());
            }
            BundleImport bundleImport = new BundleImport(source, view(), settings, scratch.resolve("quarantine"), base);
            bundleImport.check(bundle, Constants.R_HEADS + branch);
            ObjectId tip = bundleImport.tip();
            try (ObjectReader reader = bundleImport.newReader()) {
                List<ChangedFile> files = new TreeChanges(reader, base, tip, settings.diffBytes()).names();
                answer.add(tip.name());
                addFiles(files);
                answer.add(Notices.ofBranch(files));
            }
            if (!tip.equals(base)) {
                source.requireUnmoved();
                Files.writeString(scratch.resolve(INTENT), String.join("\0", directory.toString(), branch, tip.name()));
                try {
                    new Publication(source, branch, tip, operationName(scratch)).publish(bundleImport.pack());
                } finally {
                    Files.delete(scratch.resolve(INTENT));
                }
            }
        }
    }

    private void diff() throws IOException {
        try (SourceRepository source = source();
                ObjectReader reader = source.objects().newReader()) {
            answer.add(treeChanges(reader).diff());
        }
    }

    private void changes() throws IOException {
        try (SourceRepository source = source();
                ObjectReader reader = source.objects().newReader()) {
            addFiles(treeChanges(reader).withContents());
        }
    }

    private TreeChanges treeChanges(ObjectReader reader) throws IOException {
        return new TreeChanges(reader, commit(request.next()), commit(request.next()), settings.diffBytes());
    }

    /** Undoes what imports left in repositories when they were killed between intent and end. */
    private void recover() throws IOException {
        for (String left : request.nextList()) {
            Path intent = Path.of(left, INTENT);
            if (!Files.exists(intent)) {
                continue;
            }
            String[] parts = Files.readString(intent, UTF_8).split("\0", -1);
            if (parts.length < 3) {
                // The write of the intent was cut short, and nothing is written to a repository before its end.
                continue;
            }
            try (SourceRepository source = SourceRepository.open(
                    Path.of(parts[0]), settings.roots(), Files.createTempDirectory(scratch, "view"))) {
                new Publication(source, parts[1], commit(parts[2]), operationName(Path.of(left))).cleanUp();
            } catch (Refused gone) {
                // A repository that is no longer there has nothing left in it.
            }
        }
    }

    private static String operationName(Path scratch) {
        return String.valueOf(scratch.getFileName());
    }

    private SourceRepository source() throws IOException {
        return SourceRepository.open(Path.of(request.next()), settings.roots(), view());
    }

    private Path view() {
        return scratch.resolve("view");
    }

    private void addFiles(List<ChangedFile> files) {
        answer.add(files.size());
        for (ChangedFile file : files) {
            answer.add(file.path())
                    .add(file.mode())
                    .add(file.change().name())
                    .add(file.oldSha256())
                    .add(file.content());
            if (answer.size() > MAX_ANSWER_FIELDS) {
                throw new Refused(WorkspaceRefusal.CHANGES_TOO_LARGE, "too many files differ");
            }
        }
    }

    private static String requireBranch(String branch) {
        if (!BRANCH.matcher(branch).matches() || !Repository.isValidRefName(Constants.R_HEADS + branch)) {
            throw new Refused(WorkspaceRefusal.BRANCH_NAME, "not a name for a branch: " + Quoted.name(branch));
        }
        return branch;
    }

    private static ObjectId commit(String id) {
        if (!COMMIT.matcher(id).matches()) {
            throw new Refused(WorkspaceRefusal.COMMIT_MISSING, "not a commit id: " + Quoted.name(id));
        }
        return ObjectId.fromString(id);
    }

    private static Refused damaged(MissingObjectException e) {
        return new Refused(
                WorkspaceRefusal.REPOSITORY_DAMAGED,
                "the repository lacks object " + e.getObjectId().name());
    }

    private Refused tooLarge() {
        return new Refused(
                WorkspaceRefusal.REPOSITORY_TOO_LARGE,
                "the repository makes a bundle of more than %d bytes".formatted(settings.exportBytes()));
    }
}
