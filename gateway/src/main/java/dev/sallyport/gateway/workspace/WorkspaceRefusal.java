package dev.sallyport.gateway.workspace;

import java.util.Locale;

/** Why a repository or a bundle is not taken. The codes are API; the numbers of a limit stand in the exception's message. */
public enum WorkspaceRefusal {
    OUTSIDE_ROOTS("use a directory below one of the configured workspace roots"),
    NOT_A_REPOSITORY("run `git init` and commit there, or use another workspace mode"),
    NO_COMMIT("commit something first"),
    REPOSITORY_LINKED("give the real directory instead of a link"),
    REPOSITORY_POINTER("use the main repository, or repair the worktree with `git worktree repair`"),
    REPOSITORY_ALTERNATES("run `git repack -a -d` and remove objects/info/alternates"),
    REPOSITORY_SHALLOW("run `git fetch --unshallow`"),
    REPOSITORY_PARTIAL("clone again without --filter"),
    REPOSITORY_FORMAT("use a repository with SHA-1 objects, refs as files and no other extension"),
    REPOSITORY_DAMAGED("run `git fsck`"),
    REPOSITORY_CHANGED("wait until nobody replaces parts of the repository, then try again"),
    REPOSITORY_TOO_LARGE("raise the limit, or use another workspace mode"),
    BRANCH_NAME("use a name of letters, digits and . _ / + # @ = , - that git accepts"),
    COMMIT_MISSING("check that the branch still exists"),
    DIFF_TOO_LARGE("compare the branch with git instead"),
    CHANGES_TOO_LARGE("merge the branch with git instead"),

    BUNDLE_TOO_LARGE("commit less: build output and downloads do not belong into the branch"),
    BUNDLE_FORMAT("send a version 2 bundle made by git"),
    BUNDLE_REFS("bundle exactly the child's own branch"),
    BUNDLE_PREREQUISITES("bundle the branch without the base commit: `git bundle create - refs/heads/BRANCH ^BASE`"),
    BUNDLE_OBJECTS("commit fewer files"),
    BUNDLE_OBJECT_TOO_LARGE("commit smaller files"),
    BUNDLE_INFLATED("commit less"),
    BUNDLE_DELTA_DEPTH("pack with git's default depth"),
    BUNDLE_DAMAGED("make the bundle again"),
    BUNDLE_OBJECT_INVALID("remove what the message names from every commit of the branch"),
    BUNDLE_PATH("remove what the message names from every commit of the branch"),
    BUNDLE_SUBMODULE("remove what the message names from .gitmodules in every commit of the branch"),
    BUNDLE_TIP("commit on top of the base commit"),
    BUNDLE_INCOMPLETE("commit only on top of the base commit, and send all of it"),
    BRANCH_EXISTS("rename or delete the branch that is in the way");

    private final String remedy;

    WorkspaceRefusal(String remedy) {
        this.remedy = remedy;
    }

    /** {@code bundle-too-large}: stable, for machines. */
    public String code() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    public String remedy() {
        return remedy;
    }
}
