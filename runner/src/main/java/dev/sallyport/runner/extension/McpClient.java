package dev.sallyport.runner.extension;

import dev.sallyport.runner.door.Json;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * One provider of tools on the other end of two pipes: MCP over stdio, JSON-RPC 2.0 with one message a line. Only what a client
 * of tools needs; whatever else the provider asks for is answered with "method not found".
 */
final class McpClient {

    /** The revision that we speak; what of it we use is the same in all. */
    static final String VERSION = "2025-06-18";

    /** Bytes of one message. */
    private static final int LONGEST_LINE = 4 << 20;

    /** Messages that wait for a provider that does not read. */
    private static final int BACKLOG = 64;

    private static final int METHOD_NOT_FOUND = -32_601;

    private final Runnable toolsChanged;
    private final Runnable ended;
    private final BlockingQueue<byte[]> outgoing = new ArrayBlockingQueue<>(BACKLOG);
    private final Map<Long, CompletableFuture<JsonNode>> pending = new ConcurrentHashMap<>();
    private final AtomicLong ids = new AtomicLong();
    private volatile boolean over;

    /**
     * Listens from now on.
     *
     * @param toolsChanged called on the reading thread, which it must not hold up
     * @param ended called once, when nothing more can come
     */
    McpClient(String name, InputStream in, OutputStream out, Runnable toolsChanged, Runnable ended) {
        this.toolsChanged = toolsChanged;
        this.ended = ended;
        // Reading and writing pipes holds a carrier thread, of which a child may have one.
        Thread writer = Thread.ofPlatform().daemon().name(name + "-in").start(() -> write(out));
        Thread.ofPlatform().daemon().name(name + "-out").start(() -> {
            read(in);
            writer.interrupt();
        });
    }

    /** Says who we are; must come before anything else. */
    void initialize(Duration timeout) throws McpException, InterruptedException {
        ObjectNode params = Json.object().put("protocolVersion", VERSION);
        params.putObject("capabilities");
        params.putObject("clientInfo").put("name", "sallyport-runner").put("version", "1");
        request("initialize", params, timeout);
        send(message("notifications/initialized"));
    }

    /** The result of one request. What takes too long, or is interrupted, is withdrawn. */
    JsonNode request(String method, ObjectNode params, Duration timeout) throws McpException, InterruptedException {
        long id = ids.incrementAndGet();
        CompletableFuture<JsonNode> answer = new CompletableFuture<>();
        pending.put(id, answer);
        boolean answered = false;
        try {
            ObjectNode request = message(method).put("id", id);
            request.set("params", params);
            send(request);
            JsonNode response = answer.get(timeout.toMillis(), TimeUnit.MILLISECONDS);
            answered = true;
            if (response.has("error")) {
                throw new McpException("error %s: %s"
                        .formatted(
                                response.path("error").path("code").asString("?"),
                                response.path("error").path("message").asString("")));
            }
            return response.path("result");
        } catch (TimeoutException e) {
            throw new McpException("no answer within %d s".formatted(timeout.toSeconds()));
        } catch (ExecutionException e) {
            answered = true;
            throw new McpException("the provider has ended");
        } finally {
            pending.remove(id);
            if (!answered) {
                ObjectNode cancelled = message("notifications/cancelled");
                cancelled.putObject("params").put("requestId", id);
                outgoing.offer(line(cancelled));
            }
        }
    }

    private void send(ObjectNode message) throws McpException {
        // Whoever came after the end would wait in vain.
        if (over) {
            throw new McpException("the provider has ended");
        }
        if (!outgoing.offer(line(message))) {
            throw new McpException("the provider does not read what it is sent");
        }
    }

    private static ObjectNode message(String method) {
        return Json.object().put("jsonrpc", "2.0").put("method", method);
    }

    private static byte[] line(ObjectNode message) {
        byte[] json = Json.bytes(message);
        byte[] line = java.util.Arrays.copyOf(json, json.length + 1);
        line[json.length] = '\n';
        return line;
    }

    private void write(OutputStream out) {
        try (out) {
            while (true) {
                out.write(outgoing.take());
                if (outgoing.isEmpty()) {
                    out.flush();
                }
            }
        } catch (IOException | InterruptedException e) {
            // Its end is seen where it is read.
        }
    }

    private void read(InputStream stream) {
        try (InputStream in = new BufferedInputStream(stream)) {
            for (byte[] line = line(in); line.length > 0; line = line(in)) {
                receive(Json.read(line));
            }
        } catch (IOException | JacksonException e) {
            // Whoever does not speak the protocol has said its last word.
        }
        over = true;
        pending.values().forEach(answer -> answer.completeExceptionally(new IOException("ended")));
        ended.run();
    }

    /** One line with its end; empty at the end of everything. */
    private static byte[] line(InputStream in) throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        for (int next = in.read(); next >= 0; next = in.read()) {
            line.write(next);
            if (next == '\n') {
                break;
            }
            if (line.size() > LONGEST_LINE) {
                throw new IOException("message too long");
            }
        }
        return line.toByteArray();
    }

    private void receive(JsonNode message) {
        String method = message.path("method").asString("");
        JsonNode id = message.path("id");
        if (method.isEmpty()) {
            CompletableFuture<JsonNode> answer = id.isIntegralNumber() ? pending.get(id.asLong(0)) : null;
            if (answer != null) {
                answer.complete(message);
            }
        } else if (!id.isMissingNode()) {
            ObjectNode response = Json.object().put("jsonrpc", "2.0");
            response.set("id", id);
            if (method.equals("ping")) {
                response.putObject("result");
            } else {
                response.putObject("error").put("code", METHOD_NOT_FOUND).put("message", "method not found");
            }
            outgoing.offer(line(response));
        } else if (method.equals("notifications/tools/list_changed")) {
            toolsChanged.run();
        }
    }
}
