package dev.sallyport.standalone;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Map;
import tools.jackson.databind.JsonNode;

/** A person with the inbox of every session open, as {@code sallyport asks watch} has it. */
final class Approver implements AutoCloseable {

    private final Installation sallyport;
    private final String token;
    private final HttpClient http = HttpClient.newHttpClient();
    private final InputStream inbox;

    private Approver(Installation sallyport) throws IOException, InterruptedException {
        this.sallyport = sallyport;
        this.token = sallyport.personToken();
        this.inbox = http.send(
                        HttpRequest.newBuilder(URI.create(
                                        sallyport.endpoint().get("permissions").asString() + "/v1/inbox?all=true"))
                                .header("Authorization", "Bearer " + token)
                                .header("Accept", "text/event-stream")
                                .build(),
                        HttpResponse.BodyHandlers.ofInputStream())
                .body();
    }

    static Approver listening(Installation sallyport) throws IOException, InterruptedException {
        return new Approver(sallyport);
    }

    Installation.Answer answer(JsonNode ask, String answer) throws IOException, InterruptedException {
        return sallyport.permissions(
                token, "POST", "/v1/asks/" + ask.path("id").asString() + "/answer", Map.of("answer", answer));
    }

    /** Approves whatever the child asks until it has ended, and returns it. */
    JsonNode approveUntilEnded(String child) {
        return sallyport.awaitChild(child, state -> {
            for (JsonNode ask : sallyport.pendingAsks(child)) {
                try {
                    answer(ask, "approved");
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                    throw new AssertionError("interrupted", e);
                }
            }
            return !state.path("endedAt").asString("").isEmpty();
        });
    }

    @Override
    public void close() throws IOException {
        inbox.close();
        http.shutdownNow();
    }
}
