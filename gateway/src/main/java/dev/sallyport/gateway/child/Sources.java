package dev.sallyport.gateway.child;

import dev.sallyport.containment.WorkspaceAccess;
import dev.sallyport.gateway.error.GatewayException.InvalidRequest;
import dev.sallyport.gateway.error.GatewayException.NotResumable;
import dev.sallyport.gateway.error.GatewayException.WorkspaceRefused;
import dev.sallyport.gateway.sandbox.BindRefusal;
import dev.sallyport.gateway.sandbox.BindSource;
import dev.sallyport.gateway.sandbox.BindSources;
import dev.sallyport.gateway.sandbox.SandboxException;
import dev.sallyport.gateway.sandbox.SandboxUser;
import dev.sallyport.gateway.workspace.Head;
import dev.sallyport.gateway.workspace.WorkspaceException;
import dev.sallyport.gateway.workspace.Workspaces;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.OptionalInt;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Whether a directory of the host can be what a child works on, found out before the child is accepted (S5, S6, S7). */
final class Sources {

    private static final Pattern BRANCH = Pattern.compile("ref: refs/heads/([\\w./#+@-]+)\\n");
    private static final int LONGEST_HEAD = 1024;

    private final BindSources binds;
    private final Workspaces workspaces;
    private final Children children;
    private final SandboxUser somebody;

    /** @param somebody whose rights stand for those of a reader, whose uid is not known yet */
    Sources(BindSources binds, Workspaces workspaces, Children children, SandboxUser somebody) {
        this.binds = binds;
        this.workspaces = workspaces;
        this.children = children;
        this.somebody = somebody;
    }

    /** @param base commit of a clone, null for other workspaces */
    record Source(
            Terms.Workspace workspace,
            @Nullable String branch,
            @Nullable String base,
            List<String> warnings) {}

    /**
     * What a child is given.
     *
     * @param directory below a root, without links; null if none was given
     * @param resumed whose work it goes on with: a clone then starts where that one's branch is
     */
    Source of(WorkspaceAccess access, @Nullable Path directory, @Nullable Child resumed) {
        if (access == WorkspaceAccess.NONE) {
            return new Source(Terms.Workspace.NONE, null, null, List.of());
        }
        if (directory == null) {
            throw new InvalidRequest("workspace `%s` needs a `directory`".formatted(access.wire()));
        }
        List<Path> writable = children.writable();
        return switch (access) {
            case CLONE -> clone(directory, writable, resumed);
            case READ_ONLY -> bind(access, directory, new BindSources.Use.Read(somebody), writable);
            case READ_WRITE, NONE -> bind(access, directory, new BindSources.Use.Write(), writable);
        };
    }

    private Source bind(WorkspaceAccess access, Path directory, BindSources.Use use, Collection<Path> writable) {
        BindSource source;
        try {
            source = binds.check(directory, use, writable);
        } catch (BindRefusal e) {
            throw new WorkspaceRefused(
                    e.reason().name().toLowerCase(Locale.ROOT).replace('_', '-'),
                    String.valueOf(e.getMessage()),
                    e.remedy());
        } catch (IOException e) {
            throw new WorkspaceRefused("unreadable", "directory `%s` cannot be read".formatted(directory), null);
        } catch (SandboxException.BackendUnavailable e) {
            throw new WorkspaceRefused("unavailable", String.valueOf(e.getMessage()), "try again");
        }
        var workspace = new Terms.Workspace(
                access,
                directory.toString(),
                source.path().toString(),
                source.directory().toString(),
                source.key(),
                null);
        return new Source(workspace, branch(directory), null, source.warnings());
    }

    /** What HEAD names, for the prompt only; null outside a repository, empty for a detached head. */
    private static @Nullable String branch(Path directory) {
        Path head = directory.resolve(".git/HEAD");
        if (!Files.isRegularFile(head, LinkOption.NOFOLLOW_LINKS)) {
            return null;
        }
        try (InputStream in = Files.newInputStream(head, LinkOption.NOFOLLOW_LINKS)) {
            Matcher branch = BRANCH.matcher(new String(in.readNBytes(LONGEST_HEAD), StandardCharsets.UTF_8));
            return branch.matches() ? branch.group(1) : "";
        } catch (IOException e) {
            return null;
        }
    }

    private Source clone(Path directory, Collection<Path> writable, @Nullable Child resumed) {
        Head head;
        String start;
        try {
            head = workspaces.head(directory);
            start = resumed == null ? head.commit() : start(directory, resumed, head);
        } catch (WorkspaceException.Refused e) {
            throw new WorkspaceRefused(
                    e.refusal().code(),
                    String.valueOf(e.getMessage()),
                    e.refusal().remedy());
        } catch (WorkspaceException.Unavailable e) {
            throw new WorkspaceRefused("unavailable", String.valueOf(e.getMessage()), "try again");
        }
        // S5: a child that can write there could swap directories of the repository while it is read.
        if (writable.stream().anyMatch(mount -> head.top().startsWith(mount) || mount.startsWith(head.top()))) {
            throw new WorkspaceRefused(
                    "child-writable",
                    "a running child can write to `%s`".formatted(head.top()),
                    "wait until it has ended, or cancel it");
        }
        OptionalInt uncommitted = head.uncommittedFiles();
        var workspace = new Terms.Workspace(
                WorkspaceAccess.CLONE,
                directory.toString(),
                null,
                head.subdirectory(),
                null,
                uncommitted.isPresent() ? (Integer) uncommitted.getAsInt() : null);
        return new Source(workspace, head.branch().orElse(""), start, head.notices());
    }

    private String start(Path directory, Child resumed, Head head) {
        if (resumed.terms().workspace().access() != WorkspaceAccess.CLONE) {
            return head.commit();
        }
        String tip = resumed.tip();
        if (tip == null) {
            throw new NotResumable(
                    resumed.id(),
                    "left no branch to go on from: it ended before its work was brought back",
                    "start a new child; what was saved of its work says `sallyport result`");
        }
        return tip.equals(resumed.base()) ? tip : workspaces.tip(directory, resumed.id());
    }
}
