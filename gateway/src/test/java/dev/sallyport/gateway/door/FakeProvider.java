package dev.sallyport.gateway.door;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.sallyport.model.Price;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import tools.jackson.databind.JsonNode;

/** A provider on loopback that answers as a test tells it to and remembers what it was sent. */
final class FakeProvider implements AutoCloseable {

    record Seen(String path, Headers headers, JsonNode body) {}

    interface Script {
        void answer(HttpExchange exchange) throws IOException;
    }

    final List<Seen> seen = new CopyOnWriteArrayList<>();
    volatile Script script;
    volatile Map<String, Price> prices = Map.of();

    private final HttpServer server;

    FakeProvider() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        server.createContext("/", exchange -> {
            seen.add(new Seen(
                    exchange.getRequestURI().toString(),
                    exchange.getRequestHeaders(),
                    Json.MAPPER.readTree(exchange.getRequestBody().readAllBytes())));
            try (exchange) {
                script.answer(exchange);
            }
        });
        server.start();
    }

    Provider as(ModelShape shape) {
        return new Provider(
                "test",
                URI.create(
                        "http://127.0.0.1:%d/base".formatted(server.getAddress().getPort())),
                shape,
                "test",
                Set.of("known-beta"),
                true,
                prices);
    }

    void answers(int status, String body, String... headers) {
        script = exchange -> {
            exchange.getResponseHeaders().add("content-type", "application/json");
            for (int i = 0; i < headers.length; i += 2) {
                exchange.getResponseHeaders().set(headers[i], headers[i + 1]);
            }
            send(exchange, status, body);
        };
    }

    void streams(String... events) {
        script = exchange -> {
            exchange.getResponseHeaders().add("content-type", "text/event-stream");
            send(exchange, 200, String.join("", events));
        };
    }

    static void send(HttpExchange exchange, int status, String body) {
        try {
            byte[] bytes = body.getBytes(UTF_8);
            exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : 0);
            try (OutputStream out = exchange.getResponseBody()) {
                out.write(bytes);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
