package dev.sallyport.agentfile;

import java.util.List;

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
}
