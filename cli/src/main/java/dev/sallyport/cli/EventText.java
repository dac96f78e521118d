package dev.sallyport.cli;

import java.util.stream.Collectors;

/** Events of a child as lines for people. What the child says about itself and what the gateway knows are told apart (S4). */
final class EventText {

    private static final int WIDTH = 160;

    private EventText() {}

    /** One line, long texts cut. */
    static String line(Json event) {
        return "%s %s".formatted(author(event), shortened(text(event)));
    }

    /** One line, nothing cut. */
    static String full(Json event) {
        return "%s %s".formatted(author(event), text(event));
    }

    private static String author(Json event) {
        return event.text("source").equals("child") ? "child" : "sallyport:";
    }

    private static String text(Json event) {
        Json data = event.get("data");
        return switch (event.text("type")) {
            case "assistant" -> "says: " + data.text("text");
            case "tool-call" -> "calls %s %s".formatted(data.text("tool"), data.text("arguments"));
            case "tool-result" -> "%s %s: %s".formatted(data.text("tool"), outcome(data), data.text("output"));
            case "output" -> "%s: %s".formatted(data.text("stream"), data.text("text"));
            case "result" -> "result: " + data.text("text");
            case "error" -> "error %s: %s".formatted(data.text("code"), data.text("message"));
            default -> event.text("type") + fields(data);
        };
    }

    /** Everything that the child wrote for people in this event; empty for an event of another kind. */
    static String written(Json event) {
        Json data = event.get("data");
        if (!event.text("source").equals("child")) {
            return "";
        }
        return switch (event.text("type")) {
            case "output" -> data.text("text");
            case "assistant", "result" -> ended(data.text("text"));
            case "error" -> ended("error %s: %s".formatted(data.text("code"), data.text("message")));
            default -> "";
        };
    }

    private static String ended(String text) {
        return text.isEmpty() || text.endsWith("\n") ? text : text + "\n";
    }

    private static String outcome(Json data) {
        String exit = data.text("exitCode");
        return exit.isEmpty() || exit.equals("0")
                ? data.text("outcome")
                : "%s, exit code %s".formatted(data.text("outcome"), exit);
    }

    private static String fields(Json data) {
        return data.asMap().entrySet().stream()
                .filter(field -> field.getValue() != null)
                .map(field -> " %s=%s".formatted(field.getKey(), new Json(field.getValue()).text()))
                .collect(Collectors.joining());
    }

    private static String shortened(String text) {
        String line = text.stripTrailing();
        int end = line.indexOf('\n');
        String first = end < 0 ? line : line.substring(0, end);
        if (first.length() > WIDTH) {
            first = first.substring(
                    0, first.offsetByCodePoints(0, Math.min(WIDTH, first.codePointCount(0, first.length()))));
        }
        return first.length() == line.length()
                ? line
                : "%s … (%d characters in all)".formatted(first, text.codePointCount(0, text.length()));
    }
}
