package dev.sallyport.cli;

import dev.sallyport.agentfile.AgentRegistry;
import dev.sallyport.identity.ChildId;
import dev.sallyport.project.Project;
import dev.sallyport.text.ShellWord;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(
        name = "demo",
        description =
                "Runs the main job on the example repository and shows each step. The model is scripted: no key, no"
                        + " provider, always the same turns.")
final class Demo extends Verb {

    @Option(
            names = "--repository",
            paramLabel = "DIR",
            required = true,
            description = "A repository made from examples/slugify; the launcher makes one.")
    private @Nullable Path repository;

    @Option(
            names = "--example",
            paramLabel = "DIR",
            required = true,
            description = "The example as it came; only a repository with the same files for agents is trusted.")
    private @Nullable Path example;

    @Option(names = "--interactive", description = "Waits for you to answer what the child asks.")
    private boolean interactive;

    Demo(Environment environment) {
        super(environment);
    }

    @Override
    int run() {
        Output output = output();
        // The person who typed `sallyport demo` asked for its asks to be answered; --interactive hands them over.
        Connection person = interactive
                ? connectAsPerson()
                : Connection.openChecked(environment(), tokenFile(), Connection.As.PERSON);
        Connection session = connect();
        Json spawn = Json.object(
                "agent", "fixer",
                "directory", String.valueOf(repository),
                "prompt", "The test of this repository fails. Find out why and mend it.");

        title(output, "The example's own agents, which nobody runs unless a person trusts them");
        String digest = digest(example);
        person.gateway().post("/v1/trust", Json.object("directory", String.valueOf(repository), "digest", digest));
        output.line("trusted for you by the demo, because they came with Sallyport: digest " + digest);
        output.line("look: sallyport trust --show %s    take it back: sallyport trust revoke %s"
                .formatted(ShellWord.of(String.valueOf(repository)), ShellWord.of(String.valueOf(repository))));

        title(output, "What the child may do, and who says so");
        output.text(session.gateway().postForText("/v1/authority:resolve", spawn));

        title(output, "The child at work (its model is scripted; `child` lines are what it says about itself)");
        List<Json> events = new ArrayList<>();
        AskPrompt prompt = new AskPrompt(environment(), person, output);
        Inbox inbox = new Inbox(person, "/v1/inbox?all=true", output, interactive ? prompt::tellEnded : ask -> {});
        inbox.open();
        Thread answering = Thread.ofVirtual().name("answering").start(() -> answer(inbox, person, prompt));
        Json started = new Spawner(session, null).spawn(spawn);
        ChildId child = new ChildId(started.text("id"));
        Json result = new Follower(session, output).follow(child, event -> {
            events.add(event);
            // Who is asked sees the ask itself, and nothing must break into the prompt below it.
            boolean shownAnyway = event.text("type").equals("ask")
                    || event.get("data").text("state").equals("waiting");
            if (!interactive || !shownAnyway) {
                output.line(EventText.line(event));
            }
        });
        answering.interrupt();

        title(output, "What came of it");
        output.text(result.text("output"));
        output.line("outcome    %s: %s".formatted(result.text("outcome"), result.text("message")));
        output.line("branch     " + result.text("branch"));
        Json usage = result.get("usage");
        output.line("tokens     %d in, %d out, counted for a scripted model"
                .formatted(usage.number("inputTokens"), usage.number("outputTokens")));
        String cost = Outcome.cost(usage);
        output.line("cost       " + (cost.isEmpty() ? "none known: a scripted model has no price" : cost));
        Json decisions = result.get("decisions");
        output.line("decisions  %d allowed, %d denied, %d asked, %d of them approved"
                .formatted(
                        decisions.number("allowed"),
                        decisions.number("denied"),
                        decisions.number("asked"),
                        decisions.number("approved")));

        title(output, "Its diff, on a branch that the gateway checked object by object and then made");
        String diff = result.text("branch").isEmpty()
                ? "(it left no branch)"
                : session.gateway().getText(Api.path("/v1/children/{}/diff", child), "text/x-diff");
        output.text(diff);

        title(output, "What it tried and did not get");
        boolean held = Attempt.all().stream()
                .map(attempt -> attempt.report(events, output))
                .reduce(true, Boolean::logicalAnd);
        boolean done = result.text("outcome").equals("completed") && diff.contains("slugify.sh");

        title(output, "Look further");
        output.line("sallyport inspect %s    sallyport events %s    sallyport review".formatted(child, child));
        if (!done || !held) {
            output.note("sallyport: the demo did not go as it should");
            return 1;
        }
        return ExitCode.OK;
    }

    /** Of what came with the program, not of the copy that is about to be trusted. */
    private static String digest(@Nullable Path example) {
        try {
            Path directory = Objects.requireNonNull(example).toRealPath();
            AgentRegistry agents = AgentRegistry.load(directory.resolve("no-user"), directory);
            return Project.look(directory, agents).whole().digest();
        } catch (IOException e) {
            throw Failure.of("example-unreadable", "cannot read the example: `%s`".formatted(example));
        }
    }

    private void answer(Inbox inbox, Connection person, AskPrompt prompt) {
        try {
            boolean going = true;
            while (going) {
                Ask ask = inbox.next();
                if (interactive) {
                    going = prompt.settled(ask);
                } else {
                    output().lines(ask.lines(environment().clock().instant()));
                    Ask settled = Asks.answer(person, ask.id(), "approved", null);
                    output().line("ask %s: %s by the demo, through the same API that you would use"
                            .formatted(ask.id(), settled.json().text("state")));
                }
            }
        } catch (InterruptedException e) {
            // The child has ended: no more asks.
        }
    }

    private static void title(Output output, String text) {
        output.line("");
        output.line("== " + text);
        output.line("");
    }

    /**
     * Something the scripted child tries, and what must be seen instead of a success.
     *
     * @param evidence what the result of the tool must contain
     */
    private record Attempt(String what, String tool, List<String> evidence) {

        static List<Attempt> all() {
            return List.of(
                    new Attempt("a connection to the outside", "bash", List.of("unreachable", " 403 ")),
                    new Attempt("a write outside its workspace", "bash", List.of("Read-only file system")),
                    new Attempt("a tool that its agent does not have", "write", List.of("refused")));
        }

        boolean report(List<Json> events, Output output) {
            for (Json event : events) {
                Json data = event.get("data");
                String told = data.text("outcome") + ": " + data.text("output");
                if (event.text("type").equals("tool-result")
                        && data.text("tool").equals(tool)
                        && evidence.stream().allMatch(told::contains)) {
                    output.line("held   %s: %s"
                            .formatted(
                                    what,
                                    told.lines()
                                            .filter(line -> evidence.stream().anyMatch(line::contains))
                                            .collect(Collectors.joining("; "))));
                    return true;
                }
            }
            output.line("FAILED %s: nothing shows that it was refused".formatted(what));
            return false;
        }
    }
}
