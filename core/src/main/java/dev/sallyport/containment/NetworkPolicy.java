package dev.sallyport.containment;

import java.util.Collection;
import java.util.List;

/** Which hosts a child may reach through the door. */
public sealed interface NetworkPolicy {

    static NetworkPolicy none() {
        return new None();
    }

    /** Nothing at all. */
    record None() implements NetworkPolicy {}

    /** Exactly these, in order of name and port; never empty. */
    record Hosts(List<HostPort> hosts) implements NetworkPolicy {

        public Hosts {
            if (hosts.isEmpty()) {
                throw new IllegalArgumentException("network: no host (expected: at least one, or none)");
            }
            hosts = hosts.stream().sorted().distinct().toList();
        }
    }

    static NetworkPolicy of(Collection<HostPort> hosts) {
        return hosts.isEmpty() ? none() : new Hosts(List.copyOf(hosts));
    }

    /**
     * Reads the words of a list: hosts with optional ports, or the single word {@code none}.
     *
     * @throws IllegalArgumentException for {@code none} beside hosts and for what {@link HostPort#parse(String)} refuses
     */
    static NetworkPolicy parse(List<String> words) {
        if (words.equals(List.of("none"))) {
            return none();
        }
        if (words.contains("none")) {
            throw new IllegalArgumentException("network: `none` beside hosts (expected: one or the other)");
        }
        return of(words.stream().map(HostPort::parse).toList());
    }

    default List<HostPort> allowed() {
        return switch (this) {
            case None _ -> List.of();
            case Hosts(List<HostPort> hosts) -> hosts;
        };
    }

    default boolean allows(HostPort target) {
        return allowed().contains(target);
    }

    default boolean atMost(NetworkPolicy other) {
        return allowed().stream().allMatch(other::allows);
    }

    default NetworkPolicy meet(NetworkPolicy other) {
        return of(allowed().stream().filter(other::allows).toList());
    }

    /** {@code none} or the hosts, as {@link #parse} reads them. */
    default List<String> words() {
        return switch (this) {
            case None _ -> List.of("none");
            case Hosts(List<HostPort> hosts) ->
                hosts.stream().map(HostPort::toString).toList();
        };
    }
}
