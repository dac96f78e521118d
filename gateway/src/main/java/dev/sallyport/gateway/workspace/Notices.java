package dev.sallyport.gateway.workspace;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sallyport.gateway.workspace.ChangedFile.Kind;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.eclipse.jgit.lib.AnyObjectId;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.FileMode;
import org.eclipse.jgit.lib.ObjectLoader;
import org.eclipse.jgit.lib.ObjectReader;
import org.eclipse.jgit.treewalk.TreeWalk;

/** Sentences about what a person may not expect of a clone (P24), or of a branch that came back (S39). */
final class Notices {

    private static final int MAX = 50;
    private static final int MAX_ATTRIBUTES = 1 << 20;
    private static final Pattern FILTER = Pattern.compile("(?m)^\\s*([^#\\s]\\S*)(?:\\s.*)?\\sfilter=(\\S+)");

    /** Files that a program picks up by name, without anyone having asked for that program's part in a merge. */
    private static final Pattern RUNS_BY_ITSELF = Pattern.compile("""
            (?ix) (?: .* / )? (?:
                \\.gitmodules | \\.gitattributes | \\.envrc | \\.npmrc | \\.mcp\\.json | \\.pre-commit-config\\.yaml
              | \\.gitlab-ci\\.yml | \\.travis\\.yml | Jenkinsfile | azure-pipelines\\.yml | package\\.json | conftest\\.py
              | Makefile | CLAUDE\\.md | AGENTS\\.md | devcontainer\\.json
              | (?: \\.github/workflows | \\.circleci | \\.husky | \\.githooks | \\.ci | \\.vscode | \\.idea | \\.devcontainer | \\.claude
                  | \\.pi | \\.cargo | \\.mvn ) / .* )
            """);

    private Notices() {}

    static List<String> ofClone(ObjectReader reader, AnyObjectId tree) throws IOException {
        List<String> notices = new ArrayList<>();
        try (TreeWalk walk = new TreeWalk(reader)) {
            walk.addTree(tree);
            walk.setRecursive(true);
            while (walk.next() && notices.size() < MAX) {
                if (walk.getFileMode(0).equals(FileMode.GITLINK)) {
                    notices.add("submodule %s is an empty directory in the clone"
                            .formatted(Quoted.name(walk.getPathString())));
                } else if (walk.getNameString().equals(".gitattributes")
                        && walk.getFileMode(0).getObjectType() == Constants.OBJ_BLOB) {
                    addFilters(reader.open(walk.getObjectId(0)), notices);
                }
            }
        }
        return notices;
    }

    private static void addFilters(ObjectLoader attributes, List<String> notices) throws IOException {
        if (attributes.getSize() > MAX_ATTRIBUTES) {
            return;
        }
        FILTER.matcher(new String(attributes.getBytes(), UTF_8))
                .results()
                .limit(MAX)
                .map(filter ->
                        "files named %s go through the filter %s, which does not run in the clone: they are as git stores them"
                                .formatted(Quoted.name(filter.group(1)), Quoted.name(filter.group(2))))
                .forEach(notices::add);
    }

    static List<String> ofBranch(List<ChangedFile> files) {
        return files.stream()
                .filter(file -> file.change() != Kind.DELETED)
                .filter(file -> file.mode().equals(FileMode.GITLINK.toString())
                        || file.mode().equals(FileMode.SYMLINK.toString())
                        || RUNS_BY_ITSELF.matcher(file.path()).matches())
                .limit(MAX)
                .map(Notices::ofFile)
                .toList();
    }

    private static String ofFile(ChangedFile file) {
        String path = Quoted.name(file.path());
        if (file.mode().equals(FileMode.GITLINK.toString())) {
            return path + " is a repository of its own, whose contents are not in the branch";
        }
        if (file.mode().equals(FileMode.SYMLINK.toString())) {
            return path + " is a symbolic link";
        }
        return path + " may be picked up by a program without being asked: read it before you merge";
    }
}
