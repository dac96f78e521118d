package dev.sallyport.ask;

import org.jspecify.annotations.Nullable;

/** What settled a question. A rule and a person are never mistaken for each other (permission.md 5.8). */
public sealed interface Decider {

    /** A line of policy; {@code origin} says where it is written. */
    record Rule(String surface, String pattern, String origin) implements Decider {}

    /** A person; {@code via} is how the answer came: {@code console}, {@code terminal}, {@code api}. */
    record Human(String principal, String via) implements Decider {}

    /** A remembered approval. */
    record Grant(String id, String pattern) implements Decider {}

    /** The system itself, because of its own state: nobody drains, time is up, the child ended. */
    record Policy(String reason) implements Decider {}

    /** Whoever answered further up; {@code decision} is what it said about itself, null if nothing. */
    record Forwarded(String responder, @Nullable Decider decision) implements Decider {}

    /** {@code rule}, {@code human}, {@code grant}, {@code policy} or {@code forwarded}. */
    default String kind() {
        return switch (this) {
            case Rule _ -> "rule";
            case Human _ -> "human";
            case Grant _ -> "grant";
            case Policy _ -> "policy";
            case Forwarded _ -> "forwarded";
        };
    }
}
