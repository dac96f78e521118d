package dev.sallyport.cli;

import static dev.sallyport.cli.FakeSallyport.CHILD;
import static dev.sallyport.cli.FakeSallyport.SESSION;
import static dev.sallyport.cli.FakeSallyport.child;
import static dev.sallyport.cli.FakeSallyport.result;
import static org.assertj.core.api.Assertions.assertThat;

import io.modelcontextprotocol.client.McpClient;
import io.modelcontextprotocol.client.McpSyncClient;
import io.modelcontextprotocol.client.transport.ServerParameters;
import io.modelcontextprotocol.client.transport.StdioClientTransport;
import io.modelcontextprotocol.json.McpJsonDefaults;
import io.modelcontextprotocol.spec.McpSchema.CallToolRequest;
import io.modelcontextprotocol.spec.McpSchema.CallToolResult;
import io.modelcontextprotocol.spec.McpSchema.TextContent;
import io.modelcontextprotocol.spec.McpSchema.Tool;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The MCP server in a process of its own, spoken to by the SDK's client. */
class McpTest extends WithSallyport {

    private static final String C = "/v1/children/" + CHILD;

    private McpSyncClient client() {
        List<String> command = Processes.sallyport("mcp");
        McpSyncClient client = McpClient.sync(new StdioClientTransport(
                        ServerParameters.builder(command.getFirst())
                                .args(command.subList(1, command.size()))
                                .env(sallyport.variables)
                                .build(),
                        McpJsonDefaults.getMapper()))
                .requestTimeout(Duration.ofSeconds(60))
                .initializationTimeout(Duration.ofSeconds(60))
                .build();
        client.initialize();
        return client;
    }

    private static Json call(McpSyncClient client, String tool, Map<String, Object> arguments) {
        CallToolResult result = client.callTool(
                CallToolRequest.builder(tool).arguments(arguments).build());
        assertThat(result.isError()).as(result.toString()).isNotEqualTo(true);
        Json structured = new Json(result.structuredContent());
        assertThat(Json.parse(text(result))).isEqualTo(Json.parse(structured.write()));
        return structured;
    }

    private static String text(CallToolResult result) {
        return ((TextContent) result.content().getFirst()).text();
    }

    @Test
    void anAgentDelegatesWithFiveTools() throws IOException {
        sallyport.post("/v1/children", child("queued"));
        sallyport.get(
                "/v1/children?session=" + SESSION,
                Json.object("children", List.of(child("running").value())));
        sallyport.get(C, child("running"));
        sallyport.problem(
                "GET " + C + "/result?wait=1s", 409, Json.object("code", "child-not-ended", "detail", "running"));
        sallyport.get(C + "/result?wait=1s", result("completed", 0));
        sallyport.post(C + "/cancel", child("running"));
        sallyport.post(C + "/resume", child("queued"));

        try (McpSyncClient client = client()) {
            assertThat(client.listTools().tools())
                    .extracting(Tool::name)
                    .containsExactly("spawn", "resume", "list", "status", "result", "cancel");
            assertThat(call(client, "spawn", Map.of("prompt", "do it", "limits", Map.of("pids", 64)))
                            .text("id"))
                    .isEqualTo(CHILD);
            assertThat(call(client, "resume", Map.of("child", CHILD, "prompt", "go on"))
                            .text("state"))
                    .isEqualTo("queued");
            assertThat(call(client, "list", Map.of()).list("children")).hasSize(1);
            assertThat(call(client, "status", Map.of("child", CHILD)).text("state"))
                    .isEqualTo("running");
            assertThat(call(client, "result", Map.of("child", CHILD, "waitSeconds", 1))
                            .text("outcome"))
                    .isEqualTo("running");
            assertThat(call(client, "result", Map.of("child", CHILD, "waitSeconds", 1))
                            .text("output"))
                    .isEqualTo("the answer\n");
            call(client, "cancel", Map.of("child", CHILD, "reason", "enough"));
        }

        assertThat(sallyport.only("POST /v1/children").json())
                .isEqualTo(Json.object(
                        "session",
                        SESSION,
                        "prompt",
                        "do it",
                        "limits",
                        Json.object("pids", 64),
                        "directory",
                        java.nio.file.Path.of("").toRealPath().toString()));
        assertThat(sallyport.only("POST " + C + "/cancel").json()).isEqualTo(Json.object("reason", "enough"));
        assertThat(sallyport.only("POST " + C + "/resume").json()).isEqualTo(Json.object("prompt", "go on"));
        assertThat(sallyport.requests)
                .allMatch(request -> request.token().equals("Bearer " + FakeSallyport.SESSION_TOKEN));
    }

    @Test
    void aRefusalIsAnErrorThatSaysWhy() {
        sallyport.problem(
                "POST /v1/children",
                403,
                Json.object("code", "authority-refused", "detail", "no\u001b[2K", "remedy", "ask someone"));

        try (McpSyncClient client = client()) {
            CallToolResult refused = client.callTool(CallToolRequest.builder("spawn")
                    .arguments(Map.of("prompt", "x"))
                    .build());
            CallToolResult unknown = client.callTool(CallToolRequest.builder("spawn")
                    .arguments(Map.of("prompt", "x", "privileged", true))
                    .build());
            CallToolResult traversal = client.callTool(CallToolRequest.builder("status")
                    .arguments(Map.of("child", "../../v1/asks"))
                    .build());

            assertThat(refused.isError()).isTrue();
            assertThat(text(refused)).isEqualTo("no\\x1b[2K\nask someone");
            assertThat(unknown.isError()).isTrue();
            assertThat(traversal.isError()).isTrue();
        }
        assertThat(sallyport.lines()).containsExactly("POST /v1/sessions", "POST /v1/children");
    }

    @Test
    void endsWithItsInputAndWritesNothingButMessages() throws Exception {
        Process process = Processes.start(sallyport, "mcp");
        process.getOutputStream().write("""
                        {"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}
                        """.getBytes(java.nio.charset.StandardCharsets.UTF_8));
        process.getOutputStream().flush();
        String first = process.inputReader().readLine();
        process.getOutputStream().close();

        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(Json.parse(first).get("result").get("serverInfo").text("name"))
                .isEqualTo("sallyport");
        assertThat(process.inputReader().readLine()).isNull();
        assertThat(process.exitValue()).isZero();
        assertThat(process.errorReader().lines()).noneMatch(line -> line.contains("SLF4J"));
    }
}
