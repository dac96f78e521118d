package dev.sallyport.cli;

import dev.sallyport.text.VisibleText;
import io.modelcontextprotocol.json.McpJsonDefaults;
import io.modelcontextprotocol.server.McpServer;
import io.modelcontextprotocol.server.McpServerFeatures.SyncToolSpecification;
import io.modelcontextprotocol.server.McpSyncServer;
import io.modelcontextprotocol.server.transport.StdioServerTransportProvider;
import io.modelcontextprotocol.spec.McpSchema.CallToolResult;
import io.modelcontextprotocol.spec.McpSchema.ServerCapabilities;
import io.modelcontextprotocol.spec.McpSchema.Tool;
import io.modelcontextprotocol.spec.McpSchema.ToolAnnotations;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.concurrent.CountDownLatch;

/** Serves the tools on standard input and output. Apart from the messages nothing is written to standard output. */
final class McpStdio {

    private McpStdio() {}

    /** Returns when the client has closed our input. */
    static void serve(McpTools tools, InputStream in, OutputStream out) {
        // The SDK logs by SLF4J, which without a provider would complain on standard error.
        System.setProperty("slf4j.internal.verbosity", "ERROR");
        Ending input = new Ending(in);
        McpSyncServer server = McpServer.sync(new StdioServerTransportProvider(McpJsonDefaults.getMapper(), input, out))
                .serverInfo("sallyport", Main.Version.number())
                .instructions("Delegates tasks to child agents in sandboxes: spawn, then result until it has ended.")
                .capabilities(ServerCapabilities.builder().tools(false).build())
                .tools(tools.all().stream().map(McpStdio::specification).toList())
                .build();
        try {
            input.end.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        server.closeGracefully();
    }

    private static SyncToolSpecification specification(McpTools.Tool tool) {
        return SyncToolSpecification.builder()
                .tool(Tool.builder(tool.name(), tool.input().asMap())
                        .description(tool.description())
                        .outputSchema(tool.output().asMap())
                        .annotations(ToolAnnotations.builder()
                                .readOnlyHint(tool.readOnly())
                                .destructiveHint(tool.name().equals("cancel"))
                                .build())
                        .build())
                .callHandler((exchange, request) -> call(tool, new Json(request.arguments())))
                .build();
    }

    private static CallToolResult call(McpTools.Tool tool, Json arguments) {
        try {
            Json result = tool.call().apply(arguments);
            return CallToolResult.builder()
                    .structuredContent(result.asMap())
                    .addTextContent(result.write())
                    .build();
        } catch (Failure failure) {
            return CallToolResult.builder()
                    .isError(true)
                    .addTextContent(VisibleText.of(
                            failure.remedy() == null ? failure.detail() : failure.detail() + "\n" + failure.remedy()))
                    .build();
        }
    }

    /** Tells when it has been read to its end. */
    private static final class Ending extends FilterInputStream {

        private final CountDownLatch end = new CountDownLatch(1);

        Ending(InputStream in) {
            super(in);
        }

        @Override
        public int read() throws IOException {
            return told(super.read());
        }

        @Override
        public int read(byte[] target, int offset, int length) throws IOException {
            return told(super.read(target, offset, length));
        }

        private int told(int read) {
            if (read < 0) {
                end.countDown();
            }
            return read;
        }
    }
}
