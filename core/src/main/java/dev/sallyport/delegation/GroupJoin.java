package dev.sallyport.delegation;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Agents whose results are told together (authority.md 11.10). The first of them to finish starts a timer; what has finished
 * when it runs out is told, and the rest wait for each other in the same way.
 *
 * @param waited still running
 * @param finished in this order, not yet told
 * @param due when what has finished is told at the latest; null while nothing has
 * @param patience from the first that finishes
 */
public record GroupJoin(
        Set<String> waited, List<String> finished, @Nullable Instant due, Duration patience) {

    private static final Duration STRAGGLERS = Duration.ofSeconds(15);

    public GroupJoin {
        waited = Set.copyOf(waited);
        finished = List.copyOf(finished);
    }

    public static GroupJoin of(Set<String> agents, Duration patience) {
        return new GroupJoin(agents, List.of(), null, patience);
    }

    /** What is told now; {@code partial} while others of the group still run. */
    public record Delivery(List<String> agents, boolean partial) {}

    /** What became of one result. */
    public enum Answer {
        /** Not of this group: told by itself. */
        PASS,
        HELD,
        DELIVERED
    }

    public record Step(GroupJoin next, Answer answer, Optional<Delivery> delivery) {}

    public Step done(String agent, Instant now) {
        if (!waited.contains(agent)) {
            return new Step(this, finished.contains(agent) ? Answer.HELD : Answer.PASS, Optional.empty());
        }
        Set<String> rest = new LinkedHashSet<>(waited);
        rest.remove(agent);
        List<String> all = new ArrayList<>(finished);
        all.add(agent);
        if (rest.isEmpty()) {
            GroupJoin over = new GroupJoin(rest, List.of(), null, patience);
            return new Step(over, Answer.DELIVERED, Optional.of(new Delivery(List.copyOf(all), false)));
        }
        return new Step(
                new GroupJoin(rest, all, due == null ? now.plus(patience) : due, patience),
                Answer.HELD,
                Optional.empty());
    }

    /** To be called when {@link #due} has come. */
    public Step timer(Instant now) {
        if (due == null || now.isBefore(due)) {
            return new Step(this, Answer.HELD, Optional.empty());
        }
        return new Step(
                new GroupJoin(waited, List.of(), null, STRAGGLERS),
                Answer.DELIVERED,
                Optional.of(new Delivery(finished, true)));
    }
}
