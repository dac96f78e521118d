package dev.sallyport.cli;

import dev.sallyport.text.VisibleText;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** A question to a person, and how it is shown so that what is seen is what would be done (T80). */
record Ask(Json json) {

    /** Longer ones are shown whole only when asked for, and are not approved unseen. */
    static final int LONG = 2000;

    // Enough blanks push what follows them off the screen.
    private static final Pattern BLANKS = Pattern.compile(" {9,}");

    String id() {
        return json.text("id");
    }

    boolean pending() {
        return json.text("state").equals("pending");
    }

    /** What became of it, in words. */
    String ending() {
        String decider = decider(json.get("decider"));
        return decider.isEmpty() ? json.text("state") : "%s by %s".formatted(json.text("state"), decider);
    }

    boolean isLong() {
        return whatWouldBeDone().length() > LONG;
    }

    /** Everything an answer needs; a long text only by its beginning and its length. */
    List<String> lines(Instant now) {
        List<String> lines = new ArrayList<>();
        lines.add("ask %s: %s (child %s, session %s)"
                .formatted(id(), Ps.dash(json.text("agent")), json.text("child"), json.text("session")));
        lines.add("  tool       " + json.text("tool"));
        String what = whatWouldBeDone();
        lines.add("  %s (%s)"
                .formatted(json.text("surface"), Output.count(what.codePointCount(0, what.length()), "character")));
        lines.addAll(quoted(isLong() ? what.substring(0, what.offsetByCodePoints(0, LONG / 2)) : what));
        if (isLong()) {
            lines.add("  ... and more: v shows all of it");
        }
        lines.add("  directory  " + json.text("directory"));
        lines.add("  rule       %s `%s` in %s"
                .formatted(json.text("surface"), json.text("matchedPattern"), Ps.dash(json.text("origin"))));
        for (String field : List.of("message", "note", "digest")) {
            if (!json.text(field).isEmpty()) {
                lines.add("  %-10s %s".formatted(field, json.text(field)));
            }
        }
        lines.add("  expires    " + expiry(now));
        return lines;
    }

    /** The value asked about and, where they say more, the arguments, whole and line by line. */
    List<String> whole() {
        return quoted(whatWouldBeDone());
    }

    private String whatWouldBeDone() {
        String value = json.text("value");
        List<Object> arguments = new ArrayList<>(json.get("arguments").asMap().values());
        return arguments.isEmpty() || arguments.equals(List.of(value))
                ? value
                : value + "\n"
                        + json.get("arguments").asMap().entrySet().stream()
                                .map(argument ->
                                        "%s: %s".formatted(argument.getKey(), new Json(argument.getValue()).text()))
                                .collect(Collectors.joining("\n"));
    }

    // Each line marked, so that a text of several lines cannot pass for the fields around it.
    private static List<String> quoted(String text) {
        return Arrays.stream(text.split("\n", -1)) // at line feeds alone: a carriage return is to be seen
                .map(line -> "  | "
                        + BLANKS.matcher(VisibleText.line(line))
                                .replaceAll(blanks ->
                                        "\\\\x20{%d}".formatted(blanks.group().length())))
                .toList();
    }

    private String expiry(Instant now) {
        try {
            Duration left = Duration.between(now, Instant.parse(json.text("expiresAt")));
            return left.isNegative() ? "now" : "in %d:%02d".formatted(left.toMinutes(), left.toSecondsPart());
        } catch (DateTimeParseException e) {
            return "-";
        }
    }

    /** Who or what decided; empty where nothing did. */
    static String decider(Json decider) {
        return switch (decider.text("kind")) {
            case "" -> "";
            case "rule" ->
                "rule %s `%s` in %s"
                        .formatted(decider.text("surface"), decider.text("pattern"), decider.text("origin"));
            case "human" ->
                decider.text("via").isEmpty()
                        ? decider.text("principal")
                        : "%s (%s)".formatted(decider.text("principal"), decider.text("via"));
            default -> decider.text("kind");
        };
    }
}
