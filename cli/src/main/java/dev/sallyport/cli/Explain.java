package dev.sallyport.cli;

import dev.sallyport.authority.AuthorityDifference;
import dev.sallyport.authority.Field;
import dev.sallyport.identity.SessionId;
import dev.sallyport.provenance.Grade;
import dev.sallyport.provenance.Layer;
import dev.sallyport.provenance.Origin;
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

    @Option(
            names = "--against",
            paramLabel = "NAME",
            description = "Shows only where the agent NAME, asked for in the same way, may do something else.")
    private @Nullable String against;

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
        if (against != null && resolution.get("refused").isNothing()) {
            return compare(gateway, body, resolution, against);
        }
        if (output.json()) {
            output.json(resolution);
        } else {
            output.text(gateway.postForText("/v1/authority:resolve", body));
        }
        return resolution.get("refused").isNothing() ? ExitCode.OK : ExitCode.REFUSED;
    }

    private int compare(Api gateway, Json body, Json left, String name) {
        Json other = body.with("agent", name);
        Json right = gateway.post("/v1/authority:resolve", other);
        Output output = output();
        if (!right.get("refused").isNothing()) {
            if (output.json()) {
                output.json(right);
            } else {
                output.text(gateway.postForText("/v1/authority:resolve", other));
            }
            return ExitCode.REFUSED;
        }
        List<AuthorityDifference> differences = AuthorityDifference.between(fields(left), fields(right));
        if (output.json()) {
            output.json(Json.object(
                    "against",
                    name,
                    "differences",
                    differences.stream().map(Explain::json).toList()));
        } else {
            output.text(AuthorityDifference.render("THIS", name, differences));
        }
        return ExitCode.OK;
    }

    private static List<Field> fields(Json resolution) {
        return resolution.list("fields").stream()
                .map(field -> new Field(
                        field.text("field"),
                        field.text("value"),
                        Grade.parse(field.text("grade")),
                        origin(field.get("winner")),
                        List.of()))
                .toList();
    }

    private static Origin origin(Json winner) {
        return new Origin(Layer.parse(winner.text("layer")), winner.text("origin"));
    }

    private static Json json(AuthorityDifference difference) {
        return Json.object(
                "field",
                difference.field(),
                "left",
                difference.left(),
                "leftBy",
                difference.leftBy() == null ? null : difference.leftBy().toString(),
                "right",
                difference.right(),
                "rightBy",
                difference.rightBy() == null ? null : difference.rightBy().toString());
    }
}
