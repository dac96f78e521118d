package dev.sallyport.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(
        name = "apply",
        description =
                "Writes what a child changed in its clone into a working tree: all of it, and only over files that"
                        + " are as the child found them. Does not run git.")
final class Apply extends ChildVerb {

    @Option(
            names = "--dir",
            paramLabel = "PATH",
            description = "The top of the working tree (default: the repository that we are in).")
    private @Nullable Path directory;

    @Option(names = "--dry-run", description = "Checks and lists, but writes nothing.")
    private boolean dryRun;

    Apply(Environment environment) {
        super(environment);
    }

    @Override
    int run() {
        Json changes = connect().gateway().get(path("/changes"));
        List<Change> files = changes.list("files").stream().map(Change::of).toList();
        Path top = top();
        try (WorkingTree tree = WorkingTree.open(top)) {
            tree.check(files);
            if (!dryRun) {
                tree.apply(files);
            }
        } catch (IOException e) {
            throw Failure.of("apply-failed", "cannot write into %s: %s".formatted(top, e.getMessage()));
        }
        Output output = output();
        if (output.json()) {
            output.json(Json.object(
                    "child",
                    child().value(),
                    "directory",
                    top.toString(),
                    "applied",
                    !dryRun,
                    "files",
                    files.stream().map(Change::toJson).toList()));
        } else {
            files.forEach(file -> output.line("%-8s %s".formatted(file.kind().word(), file.path())));
            output.note("sallyport: %s %s"
                    .formatted(dryRun ? "would change" : "changed", Output.count(files.size(), "file")));
        }
        return ExitCode.OK;
    }

    private Path top() {
        try {
            if (directory != null) {
                return environment().directory().resolve(directory).toRealPath();
            }
            Path here = environment().directory().toRealPath();
            for (Path up = here; up != null; up = up.getParent()) {
                if (Files.exists(up.resolve(".git"), LinkOption.NOFOLLOW_LINKS)) {
                    return up;
                }
            }
            return here;
        } catch (IOException e) {
            throw Failure.of("directory-missing", "no such directory: `%s`".formatted(directory));
        }
    }
}
