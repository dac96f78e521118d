package dev.sallyport.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sallyport.identity.ChildId;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.URLEncoder;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Requests to one of the two services. */
final class Api {

    private static final Duration SILENCE = Duration.ofSeconds(60);

    private final Connection connection;
    private final Function<Home.Endpoint, URI> service;

    Api(Connection connection, Function<Home.Endpoint, URI> service) {
        this.connection = connection;
        this.service = service;
    }

    /** A path whose {@code {}} are filled with encoded values. */
    static String path(String template, Object... values) {
        StringBuilder path = new StringBuilder();
        int from = 0;
        for (Object value : values) {
            int hole = template.indexOf("{}", from);
            path.append(template, from, hole).append(encode(value.toString()));
            from = hole + 2;
        }
        return path.append(template.substring(from)).toString();
    }

    /** {@code ?name=value&…}; a pair whose value is null is left out, and nothing at all gives the empty string. */
    static String query(@Nullable Object... namesAndValues) {
        StringBuilder query = new StringBuilder();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            if (namesAndValues[i + 1] != null) {
                query.append(query.isEmpty() ? '?' : '&')
                        .append(namesAndValues[i])
                        .append('=');
                query.append(encode(String.valueOf(namesAndValues[i + 1])));
            }
        }
        return query.toString();
    }

    Json get(String path) {
        return json(text("GET", path, "application/json", null, Map.of()));
    }

    String getText(String path, String type) {
        return text("GET", path, type, null, Map.of());
    }

    Json post(String path, Json body) {
        return json(text("POST", path, "application/json", body, Map.of()));
    }

    Json post(String path, Json body, Map<String, String> headers) {
        return json(text("POST", path, "application/json", body, headers));
    }

    String postForText(String path, Json body) {
        return text("POST", path, "text/plain", body, Map.of());
    }

    void put(String path, byte[] body) {
        send(new Http.Request("PUT", path, headers("application/json", "text/plain; charset=utf-8"), body, SILENCE));
    }

    void delete(String path) {
        send(new Http.Request("DELETE", path, headers("application/json", null), null, SILENCE));
    }

    /** @param lastEventId where to go on; empty for the beginning */
    EventStream events(String path, String lastEventId, Duration silence) {
        Map<String, String> headers = headers("text/event-stream", null);
        if (!lastEventId.isEmpty()) {
            headers.put("Last-Event-ID", lastEventId);
        }
        return new EventStream(exchange(new Http.Request("GET", path, headers, null, silence)));
    }

    /** The child's result with its id; empty if the child has not ended when {@code wait} has passed. */
    Optional<Json> result(ChildId child, @Nullable String wait) {
        try {
            Json result = get(path("/v1/children/{}/result", child) + query("wait", wait));
            return Optional.of(Json.object("outcome", result.text("outcome"), "child", child.value())
                    .merged(result));
        } catch (Failure failure) {
            if (failure.code().equals("child-not-ended")) {
                return Optional.empty();
            }
            throw failure;
        }
    }

    private String text(String method, String path, String accept, @Nullable Json body, Map<String, String> more) {
        Map<String, String> headers = headers(accept, body == null ? null : "application/json");
        headers.putAll(more);
        byte[] bytes = body == null ? null : body.write().getBytes(UTF_8);
        return send(new Http.Request(method, path, headers, bytes, SILENCE));
    }

    private String send(Http.Request request) {
        try (Http.Response response = exchange(request)) {
            return response.text();
        } catch (IOException e) {
            throw Failure.connectionLost(address(), e);
        }
    }

    private Json json(String text) {
        try {
            return text.isBlank() ? Json.object() : Json.parse(text);
        } catch (IllegalArgumentException e) {
            throw Failure.of("answer-invalid", "%s answered something that is not JSON".formatted(address()));
        }
    }

    /** The answer, if it is a good one. A token that is no longer good, or a service that moved, is looked up again once. */
    private Http.Response exchange(Http.Request request) {
        try {
            Http.Response response = send(address(), request);
            if (response.status() != 401) {
                return good(response);
            }
            response.close();
        } catch (ConnectException e) {
            // Nothing was sent. Perhaps Sallyport started anew on another port.
        } catch (IOException e) {
            throw Failure.connectionLost(address(), e);
        }
        connection.refresh();
        try {
            return good(send(address(), request));
        } catch (ConnectException e) {
            throw connection.unreachable(address(), e);
        } catch (IOException e) {
            throw Failure.connectionLost(address(), e);
        }
    }

    private Http.Response send(URI address, Http.Request request) throws IOException {
        Map<String, String> headers = new LinkedHashMap<>(request.headers());
        headers.put("Authorization", "Bearer " + connection.token());
        return Http.send(
                address,
                new Http.Request(request.method(), request.path(), headers, request.body(), request.silence()));
    }

    private static Http.Response good(Http.Response response) throws IOException {
        if (response.status() / 100 == 2) {
            return response;
        }
        try (response) {
            throw Failure.problem(response.status(), problem(response.text()));
        }
    }

    private static Json problem(String text) {
        try {
            return Json.parse(text);
        } catch (IllegalArgumentException e) {
            return Json.object();
        }
    }

    private URI address() {
        return service.apply(connection.endpoint());
    }

    private static Map<String, String> headers(String accept, @Nullable String contentType) {
        Map<String, String> headers = new LinkedHashMap<>();
        headers.put("Accept", accept.equals("application/json") ? accept : accept + ", application/json");
        if (contentType != null) {
            headers.put("Content-Type", contentType);
        }
        return headers;
    }

    private static String encode(String value) {
        return URLEncoder.encode(value, UTF_8).replace("+", "%20");
    }
}
