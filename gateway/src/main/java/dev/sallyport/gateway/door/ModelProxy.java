package dev.sallyport.gateway.door;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sallyport.model.Price;
import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Lets a child talk to its one model. No byte of the child's request and none of the provider's answer is passed on: both
 * are read, checked and written anew, so that the key is in the one and cannot be in the other (S17, S18).
 */
final class ModelProxy {

    private static final Duration CONNECT = Duration.ofSeconds(10);
    /** Until the answer begins; a long answer that is not streamed takes this long. */
    private static final Duration ANSWER = Duration.ofMinutes(10);

    private static final int ERROR_LIMIT = 64 * 1024;
    private static final String DEFAULT_VERSION = "2023-06-01";
    private static final Pattern VERSION = Pattern.compile("[0-9]{4}-[0-9]{2}-[0-9]{2}");
    private static final Pattern HEADER_VALUE = Pattern.compile("[A-Za-z0-9._:-]{1,128}");
    private static final Pattern EVENT_NAME = Pattern.compile("[a-z_.]{0,64}");
    private static final List<String> ANSWER_HEADERS = List.of("request-id", "x-request-id");

    private enum Action {
        MESSAGES("/v1/messages"),
        COUNT_TOKENS("/v1/messages/count_tokens"),
        CHAT("/v1/chat/completions");

        private final String path;

        Action(String path) {
            this.path = path;
        }
    }

    private record Route(@Nullable Provider provider, String name, Action action) {}

    private final Map<String, Route> routes;
    private final ScriptedModels scripted;
    private final Credentials credentials;
    private final DoorMetrics metrics;
    private final int limit;
    private final HttpClient client;

    ModelProxy(
            Collection<Provider> providers,
            ScriptedModels scripted,
            Credentials credentials,
            DoorMetrics metrics,
            int limit) {
        this.routes = routes(providers);
        this.scripted = scripted;
        this.credentials = credentials;
        this.metrics = metrics;
        this.limit = limit;
        this.client = HttpClient.newBuilder()
                .followRedirects(HttpClient.Redirect.NEVER)
                .connectTimeout(CONNECT)
                .version(HttpClient.Version.HTTP_1_1)
                .build();
    }

    private static Map<String, Route> routes(Collection<Provider> providers) {
        var routes = providers.stream()
                .flatMap(provider ->
                        actions(provider.shape()).stream().map(action -> new Route(provider, provider.name(), action)))
                .collect(Collectors.toMap(ModelProxy::path, Function.identity()));
        Route script = new Route(null, ScriptedModels.PROVIDER, Action.MESSAGES);
        routes.put(path(script), script);
        return Map.copyOf(routes);
    }

    private static Set<Action> actions(ModelShape shape) {
        return switch (shape) {
            case MESSAGES -> Set.of(Action.MESSAGES, Action.COUNT_TOKENS);
            case CHAT -> Set.of(Action.CHAT);
        };
    }

    private static String path(Route route) {
        return "/model/" + route.name() + route.action().path;
    }

    boolean serves(String method, String target) {
        return method.equals("POST") && routes.containsKey(target);
    }

    void serve(Occupant occupant, String target, Request request, Response response, Callback callback)
            throws IOException, InterruptedException {
        Route route = routes.get(target);
        if (route == null) {
            throw new IllegalArgumentException("not served: " + target);
        }
        try {
            ModelGrant grant = occupant.model()
                    .filter(model -> model.provider().equals(route.name()))
                    .orElseThrow(() -> new DoorProblem(
                            403, "model-not-granted", "this child has no model at provider " + route.name()));
            ObjectNode body = Json.read(request, limit);
            Set<String> scope = occupant.toolScope();
            switch (route.action()) {
                case MESSAGES -> ModelBody.messages(body, grant, scope);
                case COUNT_TOKENS -> ModelBody.countTokens(body, grant, scope);
                case CHAT -> ModelBody.chat(body, grant, scope);
            }
            if (route.provider() == null) {
                script(occupant, grant, body, response);
            } else {
                forward(occupant, grant, route.provider(), route.action(), body, request, response);
            }
            metrics.modelRequest(route.name(), "answered");
        } catch (DoorProblem problem) {
            metrics.modelRequest(route.name(), problem.status() < 500 ? "refused" : "failed");
            occupant.observed(new Observation.ModelRefused(route.name(), problem.code(), problem.detail()));
            throw problem;
        } catch (IOException | RuntimeException e) {
            metrics.modelRequest(route.name(), "broken");
            throw e;
        }
        callback.succeeded();
    }

    private void script(Occupant occupant, ModelGrant grant, ObjectNode body, Response response) throws IOException {
        Script script = scripted.read(grant.id());
        int turn = Script.turnOf(body);
        if (turn >= script.turns().size()) {
            occupant.observed(new Observation.ModelScriptExhausted(
                    grant.id(), script.turns().size()));
            throw Script.exhausted(grant.id(), script.turns().size());
        }
        ScriptedAnswer answer = script.play(turn, body);
        // A script is nobody's bill, and says before what it takes.
        var need = new ModelNeed(answer.inputTokens(), answer.outputTokens(), answer.outputTokens(), Price.NOTHING);
        try (ModelHold hold = occupant.hold(need)) {
            settle(
                    occupant,
                    hold,
                    new ModelUse(
                            ScriptedModels.PROVIDER,
                            grant.id(),
                            answer.inputTokens(),
                            answer.outputTokens(),
                            null,
                            true));
        }
        response.getHeaders().put("x-sallyport-model", ScriptedModels.PROVIDER);
        if (ModelBody.streams(body)) {
            startStream(response);
            for (ObjectNode event : answer.events()) {
                send(response, event.path("type").asString(), event.toString());
            }
        } else {
            write(response, answer.message().toString());
        }
    }

    private void forward(
            Occupant occupant,
            ModelGrant grant,
            Provider provider,
            Action action,
            ObjectNode body,
            Request request,
            Response response)
            throws IOException, InterruptedException {
        Key key = key(occupant, provider);
        HttpRequest.Builder upstream = upstream(provider, action, body, request, key);
        try (ModelHold hold = hold(occupant, grant, provider, action, body)) {
            ModelBody.limitOutput(body, hold.outputTokens());
            upstream.POST(HttpRequest.BodyPublishers.ofByteArray(Json.write(body)));
            pass(occupant, grant, provider, action, body, hold, send(upstream.build(), provider, hold), key, response);
        }
    }

    /** Counting tokens costs none. */
    private static ModelHold hold(
            Occupant occupant, ModelGrant grant, Provider provider, Action action, ObjectNode body) {
        return action == Action.COUNT_TOKENS
                ? ModelHold.unlimited(Long.MAX_VALUE)
                : occupant.hold(ModelBody.need(body, provider.price(grant.id())));
    }

    private void pass(
            Occupant occupant,
            ModelGrant grant,
            Provider provider,
            Action action,
            ObjectNode body,
            ModelHold hold,
            HttpResponse<InputStream> answer,
            Key key,
            Response response)
            throws IOException {
        try (InputStream content = answer.body()) {
            if (answer.statusCode() < 200 || answer.statusCode() > 299) {
                // No provider bills what it refuses.
                hold.release();
            }
            requireAnswer(provider, answer, content, key);
            passHeaders(answer, response, key);
            Usage usage = new Usage();
            JsonNode whole = null;
            try {
                if (ModelBody.streams(body)) {
                    stream(answer, content, response, key, usage);
                } else {
                    whole = whole(content, usage);
                }
            } finally {
                // Before the answer ends, so that the child's next call is judged by what this one used.
                if (action != Action.COUNT_TOKENS) {
                    settle(occupant, hold, usage.of(provider.name(), grant.id(), provider.price(grant.id())));
                }
            }
            if (whole != null) {
                write(response, key.removedFrom(whole.toString()));
            }
        }
    }

    private Key key(Occupant occupant, Provider provider) {
        String name = provider.credential();
        return new Key(
                credentials
                        .secret(occupant.tenant(), name)
                        .orElseThrow(() -> new DoorProblem(
                                503,
                                "credential-missing",
                                "there is no credential `%s`: run `sallyport credentials set %s`".formatted(name, name),
                                "sallyport credentials set " + name,
                                null)),
                name);
    }

    private static HttpRequest.Builder upstream(
            Provider provider, Action action, ObjectNode body, Request request, Key key) {
        HttpRequest.Builder upstream = HttpRequest.newBuilder(provider.at(action.path))
                .timeout(ANSWER)
                .header("content-type", "application/json")
                .header("accept", ModelBody.streams(body) ? "text/event-stream" : "application/json")
                .header("accept-encoding", "identity")
                .header("user-agent", "sallyport");
        switch (provider.shape()) {
            case MESSAGES -> {
                upstream.header("x-api-key", key.value()).header("anthropic-version", version(request));
                String betas = String.join(",", betas(provider, request));
                if (!betas.isEmpty()) {
                    upstream.header("anthropic-beta", betas);
                }
            }
            case CHAT -> {
                if (request.getHeaders().contains("openai-beta")) {
                    throw new DoorProblem(400, "request-refused", "openai-beta: not offered");
                }
                upstream.header("authorization", "Bearer " + key.value());
            }
        }
        return upstream;
    }

    private static String version(Request request) {
        String version = request.getHeaders().get("anthropic-version");
        if (version == null) {
            return DEFAULT_VERSION;
        }
        if (!VERSION.matcher(version).matches()) {
            throw new DoorProblem(400, "request-refused", "anthropic-version: expected a date");
        }
        return version;
    }

    private static List<String> betas(Provider provider, Request request) {
        List<String> asked = request.getHeaders().getCSV("anthropic-beta", false);
        for (String beta : asked) {
            if (!provider.betas().contains(beta)) {
                throw new DoorProblem(
                        400, "request-refused", "anthropic-beta: `%s` is not offered".formatted(Names.shown(beta)));
            }
        }
        return asked;
    }

    private HttpResponse<InputStream> send(HttpRequest request, Provider provider, ModelHold hold)
            throws InterruptedException {
        try {
            return client.send(request, HttpResponse.BodyHandlers.ofInputStream());
        } catch (IOException e) {
            if (e instanceof ConnectException || e instanceof HttpConnectTimeoutException) {
                hold.release();
            }
            throw new DoorProblem(
                    502, "provider-unreachable", "provider %s does not answer".formatted(provider.name()));
        }
    }

    private static void requireAnswer(Provider provider, HttpResponse<InputStream> answer, InputStream content, Key key)
            throws IOException {
        int status = answer.statusCode();
        if (status >= 200 && status < 300) {
            String encoding = answer.headers().firstValue("content-encoding").orElse("identity");
            if (!encoding.equalsIgnoreCase("identity")) {
                throw new DoorProblem(
                        502,
                        "provider-answer-refused",
                        "provider %s sent an encoding that was not asked for".formatted(provider.name()));
            }
            return;
        }
        if (status < 400) {
            throw new DoorProblem(502, "provider-redirected", "provider %s sent a redirect".formatted(provider.name()));
        }
        if (status == 401 || status == 403) {
            // Their message quotes a part of the key.
            throw new DoorProblem(
                    502,
                    "provider-refused-credential",
                    "provider %s refused credential `%s`".formatted(provider.name(), provider.credential()),
                    "sallyport credentials set " + provider.credential(),
                    null);
        }
        String message = errorMessage(content);
        throw new DoorProblem(
                status > 599 ? 502 : status,
                "provider-error",
                "provider %s: %s"
                        .formatted(
                                provider.name(),
                                message.isEmpty() || key.showsIn(message) ? "status " + status : Names.shown(message)),
                null,
                retryAfter(answer));
    }

    private static @Nullable Duration retryAfter(HttpResponse<?> answer) {
        return answer.headers()
                .firstValue("retry-after")
                .filter(value -> value.matches("[0-9]{1,6}"))
                .map(value -> Duration.ofSeconds(Long.parseLong(value)))
                .orElse(null);
    }

    private static String errorMessage(InputStream content) throws IOException {
        try {
            return Json.MAPPER
                    .readTree(content.readNBytes(ERROR_LIMIT))
                    .path("error")
                    .path("message")
                    .asString("");
        } catch (JacksonException e) {
            return "";
        }
    }

    private static void passHeaders(HttpResponse<?> answer, Response response, Key key) {
        for (String name : ANSWER_HEADERS) {
            answer.headers()
                    .firstValue(name)
                    .filter(value -> HEADER_VALUE.matcher(value).matches() && !key.showsIn(value))
                    .ifPresent(value -> response.getHeaders().put(name, value));
        }
    }

    private JsonNode whole(InputStream content, Usage usage) throws IOException {
        byte[] bytes = content.readNBytes(limit + 1);
        JsonNode answer =
                bytes.length > limit ? null : parse(new String(bytes, UTF_8)).orElse(null);
        if (answer == null || !answer.isObject()) {
            throw new DoorProblem(502, "provider-answer-refused", "the provider's answer is not JSON, or too large");
        }
        usage.read(answer);
        usage.complete();
        return answer;
    }

    private static void write(Response response, String json) throws IOException {
        response.getHeaders().put(HttpHeader.CONTENT_TYPE, "application/json");
        Content.Sink.write(response, true, ByteBuffer.wrap(json.getBytes(UTF_8)));
    }

    /** One event at a time: the provider is read no faster than the child reads. */
    private void stream(HttpResponse<?> answer, InputStream content, Response response, Key key, Usage usage)
            throws IOException {
        String type = answer.headers().firstValue("content-type").orElse("");
        if (!type.startsWith("text/event-stream")) {
            throw new DoorProblem(502, "provider-answer-refused", "the provider's answer is not a stream");
        }
        startStream(response);
        try (EventReader events = new EventReader(content, limit)) {
            for (Optional<EventReader.Event> event = events.next(); event.isPresent(); event = events.next()) {
                pass(event.get(), response, key, usage);
            }
        }
    }

    private static void pass(EventReader.Event event, Response response, Key key, Usage usage) throws IOException {
        if (!EVENT_NAME.matcher(event.name()).matches()) {
            throw new IOException("the provider sent an event with a strange name");
        }
        if (event.data().equals("[DONE]")) {
            usage.complete();
            send(response, event.name(), "[DONE]");
            return;
        }
        JsonNode data =
                parse(event.data()).orElseThrow(() -> new IOException("the provider sent an event that is not JSON"));
        usage.read(data);
        if (data.path("type").asString("").equals("message_stop")) {
            usage.complete();
        }
        send(response, event.name(), key.removedFrom(data.toString()));
    }

    private static Optional<JsonNode> parse(String text) {
        try {
            return Optional.of(Json.MAPPER.readTree(text));
        } catch (JacksonException e) {
            return Optional.empty();
        }
    }

    private static void startStream(Response response) {
        response.getHeaders().put(HttpHeader.CONTENT_TYPE, "text/event-stream");
        response.getHeaders().put(HttpHeader.CACHE_CONTROL, "no-store");
    }

    private static void send(Response response, String event, String data) throws IOException {
        String text = (event.isEmpty() ? "" : "event: " + event + "\n") + "data: " + data + "\n\n";
        Content.Sink.write(response, false, ByteBuffer.wrap(text.getBytes(UTF_8)));
    }

    private void settle(Occupant occupant, ModelHold hold, ModelUse use) {
        hold.settle(use);
        metrics.used(use);
        occupant.used(use);
    }

    void close() {
        client.shutdownNow();
    }
}
