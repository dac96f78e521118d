package dev.sallyport.cli;

import dev.sallyport.identity.ChildId;
import dev.sallyport.identity.SessionId;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(name = "review", description = "Shows what was decided about children's calls, and who or what decided it.")
final class Review extends Verb {

    private static final List<String> HEAD = List.of("POSITION", "AT", "CHILD", "EVENT", "DECISION", "DETAILS");

    @Option(names = "--session", paramLabel = "ID", description = "Only this session's.")
    private @Nullable SessionId session;

    @Option(names = "--child", paramLabel = "CHILD", description = "Only this child's.")
    private @Nullable ChildId child;

    @Option(names = "--after", paramLabel = "POSITION", description = "Only later entries.")
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
                entry.text("position"),
                entry.text("at"),
                Ps.dash(entry.text("child")),
                entry.text("event"),
                Ps.dash(entry.text("decision")),
                entry.get("details").asMap().entrySet().stream()
                        .map(detail -> detail.getKey() + "=" + detail.getValue())
                        .collect(Collectors.joining(" ")));
    }
}
