package dev.sallyport.agentfile;

import java.util.List;
import java.util.TreeSet;

/** Which of a kind of resource an agent takes (authority.md 2.5). */
public sealed interface Inclusion {

    record All() implements Inclusion {}

    record None() implements Inclusion {}

    /** By name, as written. */
    record Only(List<String> names) implements Inclusion {

        public Only {
            names = List.copyOf(names);
        }
    }

    /** What both take, by exact name and in this one's order. */
    default Inclusion meet(Inclusion other) {
        return switch (this) {
            case None none -> none;
            case All _ -> other;
            case Only(List<String> names) ->
                switch (other) {
                    case None none -> none;
                    case All _ -> this;
                    case Only(List<String> others) -> {
                        List<String> both =
                                names.stream().filter(others::contains).toList();
                        yield both.isEmpty() ? new None() : new Only(both);
                    }
                };
        };
    }

    /** The same with its names in one order, for what is hashed. */
    default Inclusion sorted() {
        return this instanceof Only(List<String> names) ? new Only(List.copyOf(new TreeSet<>(names))) : this;
    }

    default boolean atMost(Inclusion other) {
        return meet(other).equals(this);
    }

    /** {@code all}, {@code none} or the names. */
    default String shown() {
        return switch (this) {
            case All _ -> "all";
            case None _ -> "none";
            case Only(List<String> names) -> String.join(", ", names);
        };
    }
}
