package dev.sallyport.cli;

import org.jspecify.annotations.Nullable;

/** Shows asks to the person at the terminal, one after the other, and takes the answers. */
final class AskPrompt {

    private static final String KEYS = "a approve, d deny, r deny with a reason, s skip";

    private final Environment environment;
    private final Connection connection;
    private final Output output;
    private volatile String shown = "";

    /** @param connection of a person */
    AskPrompt(Environment environment, Connection connection, Output output) {
        this.environment = environment;
        this.connection = connection;
        this.output = output;
    }

    /** Says that somebody else or time has settled the ask that stands there. */
    void tellEnded(Ask ask) {
        if (ask.id().equals(shown)) {
            output.note("");
            output.note("sallyport: ask %s is %s; Enter goes on".formatted(ask.id(), ask.ending()));
        }
    }

    /** Shows the ask and takes an answer; returns false at the end of input. */
    boolean settled(Ask ask) {
        shown = ask.id();
        output.lines(ask.lines(environment.clock().instant()));
        boolean seenWhole = !ask.isLong();
        while (true) {
            // What is typed answers the ask that was shown when the prompt appeared, whatever happened since.
            String key = environment.terminal().ask(KEYS + (ask.isLong() ? ", v view all" : "") + "> ");
            if (key == null) {
                return false;
            }
            switch (key.strip()) {
                case "a" -> {
                    if (!seenWhole) {
                        output.line("v shows all of it first");
                    } else if (answered(ask, "approved", null)) {
                        return true;
                    }
                }
                case "d" -> {
                    if (answered(ask, "denied", null)) {
                        return true;
                    }
                }
                case "r" -> {
                    String reason = environment.terminal().ask("reason> ");
                    if (reason == null) {
                        return false;
                    }
                    if (answered(ask, "denied", reason)) {
                        return true;
                    }
                }
                case "v" -> {
                    output.lines(ask.whole());
                    seenWhole = true;
                }
                case "s" -> {
                    shown = "";
                    return true;
                }
                case "" -> {
                    if (!current(ask).pending()) {
                        return true;
                    }
                }
                default -> output.line("`%s` (expected: %s)".formatted(key, KEYS));
            }
        }
    }

    private Ask current(Ask ask) {
        return new Ask(connection.permissions().get(Api.path("/v1/asks/{}", ask.id())));
    }

    /** Returns false if the ask may still be answered, because the answer did not arrive. */
    private boolean answered(Ask ask, String answer, @Nullable String reason) {
        // What this answer brings about is no news.
        shown = "";
        try {
            Ask settled = Asks.answer(connection, ask.id(), answer, reason);
            output.line("%s %s".formatted(settled.json().text("state"), ask.id()));
            return true;
        } catch (Failure failure) {
            // Somebody was faster, or the child is gone: the next ask may still want an answer.
            output.failure(failure);
            shown = failure.isTransient() ? ask.id() : "";
            return !failure.isTransient();
        }
    }
}
