package dev.sallyport.cli;

import dev.sallyport.identity.SessionId;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(name = "ps", description = "Lists the children that are active and the last ten that ended.")
final class Ps extends Verb {

    private static final List<String> HEAD =
            List.of("CHILD", "AGENT", "STATE", "MODEL", "AGE", "TOKENS", "COST", "DESCRIPTION");

    @Option(names = "--session", paramLabel = "ID", description = "Only this session's.")
    private @Nullable SessionId session;

    @Option(
            names = {"-q", "--quiet"},
            description = "Only their ids.")
    private boolean quiet;

    Ps(Environment environment) {
        super(environment);
    }

    @Override
    int run() {
        Json answer = connect().gateway().get("/v1/children" + Api.query("session", session));
        List<Json> children = answer.list("children");
        Output output = output();
        if (output.json()) {
            output.json(answer);
        } else if (quiet) {
            children.forEach(child -> output.line(child.text("id")));
        } else {
            Instant now = environment().clock().instant();
            output.table(HEAD, children.stream().map(child -> row(child, now)).toList());
        }
        return ExitCode.OK;
    }

    private static List<String> row(Json child, Instant now) {
        Json usage = child.get("usage");
        return List.of(
                child.text("id"),
                dash(child.text("agent")),
                state(child),
                model(child),
                age(child.text("createdAt"), now),
                dash(tokens(usage)),
                dash(Outcome.cost(usage)),
                child.text("description"));
    }

    static String state(Json child) {
        String reason = child.text("reason");
        return reason.isEmpty() ? child.text("state") : child.text("state") + " (" + reason + ")";
    }

    static String model(Json child) {
        String model = dash(child.text("model"));
        return child.isTrue("scripted") ? model + " (scripted)" : model;
    }

    private static String tokens(Json usage) {
        long tokens = usage.number("inputTokens") + usage.number("outputTokens");
        return tokens == 0 ? "" : Long.toString(tokens);
    }

    static String dash(String text) {
        return text.isEmpty() ? "-" : text;
    }

    /** How long ago that was, in its largest unit; a dash where it is no time. */
    static String age(String since, Instant now) {
        try {
            Duration age = Duration.between(Instant.parse(since), now);
            return age.toDays() > 0
                    ? age.toDays() + "d"
                    : age.toHours() > 0
                            ? age.toHours() + "h"
                            : age.toMinutes() > 0 ? age.toMinutes() + "m" : Math.max(0, age.toSeconds()) + "s";
        } catch (DateTimeParseException e) {
            return "-";
        }
    }
}
