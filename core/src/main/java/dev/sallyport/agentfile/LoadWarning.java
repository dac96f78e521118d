package dev.sallyport.agentfile;

import org.jspecify.annotations.Nullable;

/** Something about an agent file that its author should know; loading went on without what is wrong. */
public sealed interface LoadWarning {

    /** The file could not be used; {@code reason} begins with {@code path} or {@code path:line}. */
    record Skipped(String path, String reason) implements LoadWarning {}

    /** A file with this name was skipped, so that the agent is what another file says. */
    record Substitution(String agent, String survivor) implements LoadWarning {}

    /** The file declares a name with a colon and was skipped. */
    record ReservedName(String path, String name) implements LoadWarning {}

    /** Two files of one directory declare the same agent; neither is used. */
    record Conflict(String agent, String first, String second) implements LoadWarning {}

    /** A field that nobody knows; {@code location} is {@code path:line}, {@code nearest} what was probably meant. */
    record UnknownField(
            String location, String field, @Nullable String nearest) implements LoadWarning {}

    /** A field that means nothing here; {@code location} is {@code path:line}. */
    record Field(String location, String problem) implements LoadWarning {}

    /** {@code skipped}, {@code substitution}, {@code reserved-name}, {@code conflict} or {@code field}. */
    default String kind() {
        return switch (this) {
            case Skipped _ -> "skipped";
            case Substitution _ -> "substitution";
            case ReservedName _ -> "reserved-name";
            case Conflict _ -> "conflict";
            case UnknownField _, Field _ -> "field";
        };
    }

    default String message() {
        return switch (this) {
            case Skipped skipped -> "skipped " + skipped.reason();
            case Substitution(String agent, String survivor) -> "agent `%s` is now %s".formatted(agent, survivor);
            case ReservedName(String path, String name) ->
                "skipped %s: name `%s` contains a colon, which is reserved".formatted(path, name);
            case Conflict(String agent, String first, String second) ->
                "agent `%s` is declared by %s and by %s; neither is used (compatibility: duplicate-names)"
                        .formatted(agent, first, second);
            case UnknownField(String location, String field, String nearest) ->
                "%s: unknown field `%s`%s"
                        .formatted(location, field, nearest == null ? "" : " (nearest: `%s`)".formatted(nearest));
            case Field(String location, String problem) -> location + ": " + problem;
        };
    }
}
