package dev.sallyport.agentfile;

import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.TreeSet;

/** Which agents one may delegate to; an agent file that says nothing allows none. */
public sealed interface SubagentPermission {

    record All() implements SubagentPermission {}

    /** As written; names are compared ignoring case. Nobody, if there are none. */
    record Only(List<String> names) implements SubagentPermission {

        public Only {
            names = List.copyOf(names);
        }
    }

    static SubagentPermission all() {
        return new All();
    }

    static SubagentPermission none() {
        return new Only(List.of());
    }

    default boolean allows(String agent) {
        return switch (this) {
            case All _ -> true;
            case Only(List<String> names) ->
                names.stream().anyMatch(name -> folded(name).equals(folded(agent)));
        };
    }

    default boolean isNone() {
        return this instanceof Only(List<String> names) && names.isEmpty();
    }

    /** The same with its names in one order and case, for what is hashed. */
    default SubagentPermission sorted() {
        if (!(this instanceof Only(List<String> names))) {
            return this;
        }
        TreeSet<String> folded = new TreeSet<>();
        names.forEach(name -> folded.add(folded(name)));
        return new Only(List.copyOf(folded));
    }

    default boolean atMost(SubagentPermission other) {
        return switch (this) {
            case All _ -> other instanceof All;
            case Only(List<String> names) -> names.stream().allMatch(other::allows);
        };
    }

    /** What both allow, in this one's order. */
    default SubagentPermission meet(SubagentPermission other) {
        return switch (this) {
            case All _ -> other;
            case Only(List<String> names) -> {
                HashSet<String> seen = new HashSet<>();
                yield new Only(names.stream()
                        .filter(name -> other.allows(name) && seen.add(folded(name)))
                        .toList());
            }
        };
    }

    /** {@code all}, {@code none} or the names. */
    default String shown() {
        return switch (this) {
            case All _ -> "all";
            case Only(List<String> names) -> names.isEmpty() ? "none" : String.join(", ", names);
        };
    }

    private static String folded(String name) {
        return name.toLowerCase(Locale.ROOT);
    }
}
