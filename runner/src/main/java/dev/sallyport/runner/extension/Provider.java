package dev.sallyport.runner.extension;

import dev.sallyport.runner.door.Assignment;
import dev.sallyport.runner.door.Event;
import dev.sallyport.runner.door.Json;
import dev.sallyport.runner.door.Outbox;
import dev.sallyport.runner.tool.OutputLimit;
import dev.sallyport.runner.tool.Tool;
import dev.sallyport.toolscope.Extension;
import dev.sallyport.toolscope.ToolScope;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** One extension that runs, and the tools that it offers. */
final class Provider {

    /** As many as the gateway takes in one report. */
    private static final int MOST_TOOLS = 300;

    /** Pages of a list that may have no end. */
    private static final int MOST_PAGES = 50;

    private static final Duration LISTING = Duration.ofSeconds(20);

    /** Between two looks at a list that changes all the time. */
    private static final Duration PAUSE = Duration.ofMillis(100);

    private final Assignment.Provider assigned;
    private final Extension extension;
    private final Outbox outbox;
    private final ToolScope scope;
    private final OutputLimit limit;
    private final Duration timeout;
    private final Semaphore changes = new Semaphore(0);
    private final CompletableFuture<Map<String, ProvidedTool>> first = new CompletableFuture<>();
    private final CompletableFuture<@Nullable Void> loaded = new CompletableFuture<>();
    private volatile Map<String, ProvidedTool> tools = Map.of();
    private volatile boolean over;
    private volatile @Nullable Process process;

    private Provider(
            Assignment.Provider assigned, OutputLimit limit, Duration timeout, Outbox outbox, ToolScope scope) {
        this.assigned = assigned;
        this.extension = assigned.extension();
        this.limit = limit;
        this.timeout = timeout;
        this.outbox = outbox;
        this.scope = scope;
    }

    /** Starts the program; what becomes of it is known when {@link #load} returns. */
    static Provider start(
            Assignment.Provider assigned,
            Map<String, String> environment,
            OutputLimit limit,
            Duration timeout,
            Outbox outbox,
            ToolScope scope) {
        Provider provider = new Provider(assigned, limit, timeout, outbox, scope);
        Thread.ofVirtual().name(assigned.name()).start(() -> provider.live(environment));
        return provider;
    }

    String name() {
        return assigned.name();
    }

    Extension extension() {
        return extension;
    }

    Optional<Tool> tool(String name) {
        return Optional.ofNullable(tools.get(name));
    }

    /** Loads what it offers first. @return false if it offers nothing in time, or may not be loaded; then it is ended */
    boolean load(Duration patience) throws InterruptedException {
        if (loads(patience)) {
            outbox.emit(Event.extensionTools(name(), tools.keySet()));
            loaded.complete(null);
            return true;
        }
        loaded.completeExceptionally(new IOException("not loaded"));
        end();
        return false;
    }

    private boolean loads(Duration patience) throws InterruptedException {
        try {
            tools = first.get(patience.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            tell("did not say in time what it offers");
            return false;
        } catch (ExecutionException e) {
            return false;
        }
        return scope.load(extension, tools.keySet());
    }

    private void live(Map<String, String> environment) {
        try {
            McpClient client = connect(environment);
            client.initialize(LISTING);
            first.complete(list(client));
            loaded.get();
            while (!over) {
                changes.acquire();
                changes.drainPermits();
                offer(over ? Map.of() : list(client));
                Thread.sleep(PAUSE);
            }
        } catch (IOException | McpException e) {
            if (first.completeExceptionally(e)) {
                tell("did not start: " + e.getMessage());
            }
            withdraw();
        } catch (ExecutionException | InterruptedException e) {
            // The child has ended.
        }
    }

    private McpClient connect(Map<String, String> environment) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(assigned.command())
                .directory(Path.of(assigned.directory()).toFile());
        builder.environment().putAll(environment);
        Process started = builder.start();
        process = started;
        Thread.ofPlatform().daemon().name(name() + "-err").start(() -> relay(started.getErrorStream()));
        return new McpClient(name(), started.getInputStream(), started.getOutputStream(), changes::release, this::end);
    }

    /** Nothing that it offered is left. */
    private void end() {
        Process started = process;
        if (started != null) {
            started.descendants().forEach(ProcessHandle::destroyForcibly);
            started.destroyForcibly();
        }
        over = true;
        changes.release();
    }

    private Map<String, ProvidedTool> list(McpClient client) throws McpException, InterruptedException {
        Map<String, ProvidedTool> offered = new LinkedHashMap<>();
        ObjectNode params = Json.object();
        for (int page = 0; page < MOST_PAGES; page++) {
            JsonNode result = client.request("tools/list", params, LISTING);
            for (JsonNode listed : result.path("tools")) {
                if (offered.size() < MOST_TOOLS) {
                    ProvidedTool.of(listed, client, limit, timeout)
                            .ifPresent(tool -> offered.putIfAbsent(tool.name(), tool));
                }
            }
            JsonNode cursor = result.path("nextCursor");
            if (!cursor.isString()) {
                break;
            }
            params = Json.object().put("cursor", cursor.stringValue());
        }
        return offered;
    }

    /**
     * What is gone is gone at once. What is new is shown to the model only when the gateway has heard of it: it would refuse the
     * request.
     */
    private void offer(Map<String, ProvidedTool> offered) throws InterruptedException {
        boolean same = offered.keySet().equals(tools.keySet());
        scope.offers(
                extension, tools.keySet().stream().filter(offered::containsKey).toList());
        if (!same) {
            outbox.emit(Event.extensionTools(name(), offered.keySet()));
            if (!outbox.flush()) {
                return;
            }
        }
        tools = offered;
        scope.offers(extension, offered.keySet());
    }

    private void withdraw() {
        if (loaded.isDone()) {
            try {
                offer(Map.of());
            } catch (InterruptedException e) {
                // The child has ended.
            }
        }
    }

    private void relay(InputStream errors) {
        byte[] buffer = new byte[4096];
        try (errors) {
            for (int length = errors.read(buffer); length >= 0; length = errors.read(buffer)) {
                outbox.emit(Event.output(
                        "stderr", "[%s] %s".formatted(name(), new String(buffer, 0, length, StandardCharsets.UTF_8))));
            }
        } catch (IOException | InterruptedException e) {
            // It has ended, or the child has.
        }
    }

    private void tell(String what) {
        try {
            outbox.emit(Event.output("stderr", "[%s] %s\n".formatted(name(), what)));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
