/**
 * Repositories in and out of a child (S15, S16). Git data is read by JGit only, in a process of its own that a child's
 * bytes may crash or exhaust without harm to the gateway; no program is started but that process.
 *
 * <p>What a {@code clone} looks like inside the container is made by the runner with the git of the image. What comes back
 * is taken if it was made like this, {@code BASE} being the commit that was exported and {@code ID} the child:
 *
 * <pre>{@code
 * git init -q -b pi-agent-ID
 * git index-pack --stdin                  # the pack of the bundle from GET /v1/workspace
 * git reset -q --hard BASE
 * ...                                     # the child at work
 * git status --porcelain                  # only if this prints something:
 * git add -A
 * git commit -q --no-verify -m "pi-agent: DESCRIPTION"
 * git rev-parse --verify HEAD^{commit}    # BASE: no changes, nothing is sent
 * git update-ref refs/heads/pi-agent-ID HEAD
 * git bundle create -q - refs/heads/pi-agent-ID ^BASE    # the body of PUT /v1/workspace
 * }</pre>
 *
 * A branch that merges commits grown from an ancestor of {@code BASE} has that ancestor as a second prerequisite, and is
 * refused; without {@code ^BASE} the same bundle brings the whole history and is taken.
 */
@NullMarked
package dev.sallyport.gateway.workspace;

import org.jspecify.annotations.NullMarked;
