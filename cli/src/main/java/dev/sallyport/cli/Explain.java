package dev.sallyport.cli;

import dev.sallyport.identity.SessionId;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
        name = "explain",
        description = "Shows what a child would be allowed to do, and which file, option or setting decided each field."
                + " Starts nothing.",
        customSynopsis = "sallyport explain [--agent NAME] [options of run] [-- CMD...]")
final class Explain extends Verb implements Main.TakesCommand {

    @Mixin
    private final ChildOptions child = new ChildOptions();

    @Option(names = "--session", paramLabel = "ID", description = "As a child of this session.")
    private @Nullable SessionId session;

    Explain(Environment environment) {
        super(environment);
    }

    @Override
    public void command(List<String> words) {
        child.command(words);
    }

    @Override
    int run() {
        Json body = child.body(environment());
        if (session != null) {
            body = body.with("session", session.value());
        }
        Api gateway = connect().gateway();
        Output output = output();
        Json resolution = gateway.post("/v1/authority:resolve", body);
        if (output.json()) {
            output.json(resolution);
        } else {
            output.text(gateway.postForText("/v1/authority:resolve", body));
        }
        return resolution.get("refused").isNothing() ? ExitCode.OK : ExitCode.REFUSED;
    }
}
