package dev.sallyport.cli;

import dev.sallyport.identity.ChildId;
import dev.sallyport.identity.SessionId;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(name = "review", description = "Shows what was decided about children's calls, and who or what decided it.")
final class Review extends Verb {

    private static final List<String> HEAD = List.of("SEQ", "AT", "CHILD", "WHAT", "DECISION", "DECIDER");

    @Option(names = "--session", paramLabel = "ID", description = "Only this session's.")
    private @Nullable SessionId session;

    @Option(names = "--child", paramLabel = "CHILD", description = "Only this child's.")
    private @Nullable ChildId child;

    @Option(names = "--after", paramLabel = "SEQ", description = "Only later entries.")
    private @Nullable Long after;

    @Option(names = "--limit", paramLabel = "N", description = "At most so many.")
    private @Nullable Integer limit;

    Review(Environment environment) {
        super(environment);
    }

    @Override
    int run() {
        Json answer = connect()
                .permissions()
                .get("/v1/review" + Api.query("session", session, "child", child, "after", after, "limit", limit));
        Output output = output();
        if (output.json()) {
            output.json(answer);
        } else {
            output.table(HEAD, answer.list("entries").stream().map(Review::row).toList());
        }
        return ExitCode.OK;
    }

    private static List<String> row(Json entry) {
        return List.of(
                entry.text("seq"),
                entry.text("at"),
                entry.text("child"),
                "%s %s".formatted(entry.text("surface"), entry.text("value")).strip(),
                entry.text("decision"),
                Ask.decider(entry.get("decider")));
    }
}
