package dev.sallyport.gateway.door;

import dev.sallyport.containment.HostPort;
import dev.sallyport.containment.NetworkPolicy;
import dev.sallyport.identity.ChildId;
import dev.sallyport.identity.Tenant;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;

/**
 * One live child as its door sees it. What a child may do is answered here, never by the child's word.
 *
 * <p>Every method may throw {@link DoorProblem}, which the child gets as it is; any other exception is a bare 500. A
 * thread that waits here is interrupted when the child's connection is closed by the gateway.
 */
public interface Occupant {

    ChildId child();

    int incarnation();

    Tenant tenant();

    /**
     * Commands for the child with a greater id, oldest first; waits for the first one. Called again at least every second
     * while the child listens, so that a longer gap means that it does not.
     *
     * @param after 0, or the id of the last command that the child has seen
     * @param wait the most to wait before an empty list is returned
     */
    List<Command> commands(long after, Duration wait) throws InterruptedException;

    /**
     * Stores what the child reports of itself (S4), before it returns. A number that is already stored is dropped.
     *
     * @param reports in ascending order of number, at least one
     * @return the greatest number stored so far
     * @throws DoorProblem {@code events-limit} when the child has reported more than it may
     */
    long report(List<Report> reports);

    /** Asks whether one tool call in scope may run, and waits for people at most this long; then it is {@code PENDING}. */
    Verdict authorize(ToolCall call, Duration wait) throws InterruptedException;

    NetworkPolicy network();

    /**
     * Asks whether a listed host may be connected to, and waits for people at most this long; then it is {@code PENDING}.
     * No name is resolved before.
     */
    Verdict mayConnect(HostPort target, Duration wait) throws InterruptedException;

    /** HEAD of the source as a bundle; empty if the child has no clone. The door closes it. */
    Optional<InputStream> workspace() throws IOException;

    /**
     * Takes the child's result, a bundle with exactly its branch.
     *
     * @param bundle not yet checked; ends at the byte limit with {@link DoorProblem}
     * @throws DoorProblem if the bundle is refused
     */
    ImportedBranch importWorkspace(InputStream bundle) throws IOException;

    /** The files of its memory, as it was when the child was accepted; empty if it has none. */
    Optional<SortedMap<String, String>> memory();

    /**
     * Takes what the child leaves to later runs of its agent; the gateway knows whose memory that is.
     *
     * @param files all of them, not yet checked
     * @throws DoorProblem if they are refused
     */
    KeptMemory keepMemory(SortedMap<String, String> files);

    /**
     * The child as a parent.
     *
     * @throws DoorProblem {@code delegation-not-allowed} if it may not be one
     */
    Delegates delegates();

    /** What the child may talk to at {@code /model}; empty if it has no model. */
    Optional<ModelGrant> model();

    /** Names of the tools in the child's live scope: no other may be shown to the model (S1). */
    Set<String> toolScope();

    /**
     * Holds what a model call may take, before it is forwarded.
     *
     * @throws DoorProblem {@code budget-…} if a budget of the child or of one above it has not enough left
     */
    ModelHold hold(ModelNeed need);

    /**
     * What one tunnel may carry.
     *
     * @throws DoorProblem {@code budget-egress} if there is nothing left of a budget
     */
    Traffic traffic();

    /** Records one answered model call. */
    void used(ModelUse use);

    /** A fact that the gateway itself saw, for the child's timeline (S4). As often as the child likes, so to be capped. */
    void observed(Observation observation);
}
