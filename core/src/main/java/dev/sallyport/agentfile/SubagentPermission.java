package dev.sallyport.agentfile;

import java.util.List;

/** Which agents this one may delegate to; an agent file that says nothing allows none. */
public sealed interface SubagentPermission {

    record All() implements SubagentPermission {}

    record Only(List<String> names) implements SubagentPermission {

        public Only {
            names = List.copyOf(names);
        }
    }
}
