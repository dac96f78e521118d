package dev.sallyport.agentfile;

/** Something about an agent file that its author should know; loading went on without what is wrong. */
public sealed interface LoadWarning {

    /** The file could not be used; {@code reason} begins with {@code path} or {@code path:line}. */
    record Skipped(String path, String reason) implements LoadWarning {}

    /** A file with this name was skipped, so that the agent is what another file says. */
    record Substitution(String agent, String survivor) implements LoadWarning {}

    /** The file declares a name with a colon and was skipped. */
    record ReservedName(String path, String name) implements LoadWarning {}

    /** A field that means nothing here; {@code location} is {@code path:line}. */
    record Field(String location, String problem) implements LoadWarning {}

    /** {@code skipped}, {@code substitution}, {@code reserved-name} or {@code field}. */
    default String kind() {
        return switch (this) {
            case Skipped _ -> "skipped";
            case Substitution _ -> "substitution";
            case ReservedName _ -> "reserved-name";
            case Field _ -> "field";
        };
    }

    default String message() {
        return switch (this) {
            case Skipped skipped -> "skipped " + skipped.reason();
            case Substitution(String agent, String survivor) -> "agent `%s` is now %s".formatted(agent, survivor);
            case ReservedName(String path, String name) ->
                "skipped %s: name `%s` contains a colon, which is reserved".formatted(path, name);
            case Field(String location, String problem) -> location + ": " + problem;
        };
    }
}
