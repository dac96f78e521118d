package dev.sallyport.gateway.routing;

import dev.sallyport.gateway.door.Credentials;
import dev.sallyport.gateway.routing.SelectorClient.NoAnswerException;
import dev.sallyport.identity.Tenant;
import dev.sallyport.json.JsonObject;
import dev.sallyport.json.StrictJson;
import dev.sallyport.model.Model;
import dev.sallyport.model.ModelRouting;
import io.micrometer.core.instrument.MeterRegistry;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.json.JsonMapper;

/**
 * Asks the operator's selector. It learns the task, the models to choose from with their descriptions and what the model must
 * be able to do, and nothing else; its answer is one of those models or a failure.
 */
public final class SelectorRouter implements ModelRouter {

    private static final Logger log = LoggerFactory.getLogger(SelectorRouter.class);

    /** What can stand in one header. */
    private static final Pattern KEY = Pattern.compile("[!-~]+");

    private final SelectorSettings settings;
    private final Credentials credentials;
    private final SelectorClient client;
    private final RoutingMetrics metrics;
    private final JsonMapper json;

    public SelectorRouter(
            SelectorSettings settings,
            Credentials credentials,
            SelectorClient client,
            MeterRegistry meters,
            JsonMapper json) {
        this.settings = settings;
        this.credentials = credentials;
        this.client = client;
        this.metrics = new RoutingMetrics(meters);
        this.json = json;
    }

    private record Question(String task, List<Candidate> candidates, Constraints constraints) {}

    private record Candidate(String id, String description) {}

    @Override
    public ModelRouting before(boolean task) {
        return task ? new ModelRouting.Open(settings.models()) : new ModelRouting.Static();
    }

    @Override
    public Selection choose(Tenant tenant, String task, List<Model> eligible, Constraints constraints) {
        Selection selection = ask(tenant, task, eligible, constraints);
        metrics.asked(selection.outcome());
        if (selection.model() == null) {
            log.warn("the selector chose no model: {}", selection.outcome().wire());
        }
        return selection;
    }

    private Selection ask(Tenant tenant, String task, List<Model> eligible, Constraints constraints) {
        try {
            byte[] answer = client.ask(
                    settings.url(),
                    key(tenant),
                    question(task, eligible, constraints),
                    settings.timeout(),
                    settings.responseLimit());
            return new Selection(Selection.Outcome.CHOSEN, chosen(answer, eligible), false);
        } catch (NoAnswerException e) {
            return new Selection(e.outcome(), null, settings.defaultOnFailure());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return new Selection(Selection.Outcome.TIMEOUT, null, settings.defaultOnFailure());
        }
    }

    private String key(Tenant tenant) throws NoAnswerException {
        return credentials
                .secret(tenant, settings.credential())
                .filter(key -> KEY.matcher(key).matches())
                .orElseThrow(() -> new NoAnswerException(Selection.Outcome.CREDENTIAL_MISSING));
    }

    private byte[] question(String task, List<Model> eligible, Constraints constraints) {
        List<Candidate> candidates = eligible.stream()
                .map(model -> new Candidate(model.toString(), settings.description(model)))
                .toList();
        return json.writeValueAsBytes(new Question(task, candidates, constraints));
    }

    private static Model chosen(byte[] answer, List<Model> eligible) throws NoAnswerException {
        String id = id(answer);
        return eligible.stream()
                .filter(model -> model.toString().equals(id))
                .findFirst()
                .orElseThrow(() -> new NoAnswerException(Selection.Outcome.NOT_A_CANDIDATE));
    }

    private static String id(byte[] answer) throws NoAnswerException {
        try {
            JsonObject object = JsonObject.of("answer", StrictJson.parse(new String(answer, StandardCharsets.UTF_8)));
            String id = object.text("model");
            // A service that says more than it was asked is not the one that was set up.
            object.end();
            return id;
        } catch (IllegalArgumentException e) {
            throw new NoAnswerException(Selection.Outcome.MALFORMED);
        }
    }
}
