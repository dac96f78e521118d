/**
 * Repositories in and out of a child (S15, S16). Git data is read by JGit only, in a process of its own that a child's
 * bytes may crash or exhaust without harm to the gateway; no program is started but that process.
 *
 * <p>What a {@code clone} looks like inside the container is made by the runner with the git of the image. It is expected
 * to run exactly this, with {@code BRANCH}, {@code BASE} and {@code ID} from its assignment and, in the environment,
 * {@code GIT_CONFIG_NOSYSTEM=1}, {@code GIT_CONFIG_GLOBAL=/dev/null} and an author and committer:
 *
 * <pre>{@code
 * git clone -q --no-tags --branch BRANCH /tmp/workspace.bundle /workspace     # from GET /v1/workspace
 * git -C /workspace remote remove origin
 * ...
 * git -C /workspace status --porcelain                                        # only if this prints something:
 * git -C /workspace add -A
 * git -C /workspace commit -q --no-verify -m "pi-agent: DESCRIPTION"
 * git -C /workspace rev-parse HEAD                                            # BASE: no changes, nothing is sent
 * git -C /workspace update-ref refs/heads/pi-agent-ID HEAD
 * git -C /workspace bundle create -q --version=2 - refs/heads/pi-agent-ID ^BASE     # to PUT /v1/workspace
 * }</pre>
 */
@NullMarked
package dev.sallyport.gateway.workspace;

import org.jspecify.annotations.NullMarked;
