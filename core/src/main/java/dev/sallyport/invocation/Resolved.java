package dev.sallyport.invocation;

import dev.sallyport.provenance.Origin;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A field's value, who supplied it, and whose word was passed over. */
public record Resolved<T>(T value, Origin origin, List<Outranked> outranked) {

    public Resolved {
        outranked = List.copyOf(outranked);
    }

    /** What was passed over, and why. */
    public record Outranked(Origin origin, String value, String reason) {}

    /** What one source says about a field; null means that it says nothing. {@code false}, 0 and "" say something. */
    public record Candidate<T>(Origin origin, @Nullable T value) {}

    /** The first candidate that says anything decides; empty if none does. */
    public static <T> Optional<Resolved<T>> first(List<Candidate<T>> candidates) {
        Candidate<T> winner = null;
        T value = null;
        List<Outranked> outranked = new ArrayList<>();
        for (Candidate<T> candidate : candidates) {
            T said = candidate.value();
            if (said == null) {
                continue;
            }
            if (winner == null) {
                winner = candidate;
                value = said;
            } else {
                outranked.add(new Outranked(
                        candidate.origin(),
                        shown(said),
                        "%s decides".formatted(winner.origin().layer().wire())));
            }
        }
        if (winner == null || value == null) {
            return Optional.empty();
        }
        return Optional.of(new Resolved<>(value, winner.origin(), outranked));
    }

    /** The same with a value for the case that nobody says anything. */
    public static <T> Resolved<T> first(T fallback, List<Candidate<T>> candidates) {
        return first(candidates).orElseGet(() -> new Resolved<>(fallback, Origin.DEFAULT, List.of()));
    }

    /** A value as it is shown to people: yes and no, whole numbers without a fraction. */
    public static String shown(Object value) {
        return switch (value) {
            case Boolean flag -> flag ? "yes" : "no";
            case Double number when number % 1 == 0 -> String.valueOf(number.longValue());
            default -> value.toString();
        };
    }
}
