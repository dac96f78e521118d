package dev.sallyport.gateway.sandbox;

/**
 * One containment measure as it was found on the real sandbox, never as it was asked for (S11).
 *
 * @param name the measure: `memory`, `processes`, `disk` …
 * @param detail what was read, or why it is not in force
 */
public record Enforcement(String name, State state, String detail) {

    public enum State {
        APPLIED,
        UNAVAILABLE
    }

    public static Enforcement applied(String name, String detail) {
        return new Enforcement(name, State.APPLIED, detail);
    }

    public static Enforcement unavailable(String name, String detail) {
        return new Enforcement(name, State.UNAVAILABLE, detail);
    }
}
