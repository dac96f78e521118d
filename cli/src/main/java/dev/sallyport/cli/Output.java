package dev.sallyport.cli;

import dev.sallyport.text.VisibleText;
import java.io.PrintStream;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The only way to standard output and standard error. Whatever passes is made visible (S31): no verb has to remember who wrote a text,
 * and the one way around it is {@link #raw}.
 */
final class Output {

    private final PrintStream out;
    private final PrintStream err;
    private final boolean json;

    Output(PrintStream out, PrintStream err, boolean json) {
        this.out = out;
        this.err = err;
        this.json = json;
    }

    /** Whether results are printed as JSON. */
    boolean json() {
        return json;
    }

    /** One line of the result; a line feed in the text does not begin another. */
    void line(String text) {
        out.println(VisibleText.line(text));
    }

    /** Lines that belong together; what another thread prints comes before or after them. */
    void lines(List<String> lines) {
        out.print(lines.stream().map(line -> VisibleText.line(line) + "\n").collect(Collectors.joining()));
        out.flush();
    }

    /** So many of something, in words. */
    static String count(long number, String noun) {
        return "%d %s%s".formatted(number, noun, number == 1 ? "" : "s");
    }

    /** A text of several lines, ended by a line feed. */
    void text(String text) {
        part(text);
        if (!text.isEmpty() && !text.endsWith("\n")) {
            out.println();
        }
    }

    /** A part of a text that goes on. */
    void part(String text) {
        out.print(VisibleText.of(text));
        out.flush();
    }

    void raw(String text) {
        out.print(text);
        out.flush();
    }

    /** An indented JSON document. */
    void json(Json document) {
        out.println(document.pretty());
    }

    /** A JSON document on one line, for verbs that print many. */
    void jsonLine(Json document) {
        out.println(document.write());
        out.flush();
    }

    /** What a verb without a result did. */
    void done(String sentence, Json document) {
        if (json) {
            json(document);
        } else {
            line(sentence);
        }
    }

    void table(List<String> head, List<List<String>> rows) {
        new Table(head, rows).lines().forEach(this::line);
    }

    /** An object, a field a line; what is nested stands after the names that lead to it. */
    void fields(Json object) {
        object.asMap().forEach((name, value) -> field(name, new Json(value)));
    }

    private void field(String name, Json value) {
        if (!value.asMap().isEmpty()) {
            value.asMap().forEach((inner, innerValue) -> field(name + " " + inner, new Json(innerValue)));
        } else if (!value.elements().isEmpty()) {
            value.elements().forEach(element -> line("%-24s %s".formatted(name, words(element))));
        } else if (!value.isNothing()) {
            line("%-24s %s".formatted(name, value.text()));
        }
    }

    private static String words(Json element) {
        return element.asMap().isEmpty()
                ? element.text()
                : element.asMap().values().stream()
                        .map(value -> new Json(value).text())
                        .collect(Collectors.joining(" "));
    }

    /** One line beside the result: progress, a warning, an error. */
    void note(String text) {
        err.println(VisibleText.line(text));
    }

    /** A part of a text beside the result. */
    void notePart(String text) {
        err.print(VisibleText.of(text));
        err.flush();
    }

    void failure(Failure failure) {
        if (json) {
            json(failure.toJson());
        }
        note("error: " + failure.detail());
        if (failure.remedy() != null) {
            note("  " + failure.remedy());
        }
    }
}
