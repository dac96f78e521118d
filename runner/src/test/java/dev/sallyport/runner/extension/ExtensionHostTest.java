package dev.sallyport.runner.extension;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.runner.door.Assignment;
import dev.sallyport.runner.door.Door;
import dev.sallyport.runner.door.FakeDoor;
import dev.sallyport.runner.door.Json;
import dev.sallyport.runner.door.Outbox;
import dev.sallyport.runner.tool.Tool;
import dev.sallyport.runner.tool.ToolResult;
import dev.sallyport.testing.TestExtension;
import dev.sallyport.toolscope.ExtensionFilter;
import dev.sallyport.toolscope.Selectors;
import dev.sallyport.toolscope.ToolRules;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Real programs that speak, and some that do not. */
@Timeout(60)
class ExtensionHostTest {

    @TempDir
    private Path directory;

    private FakeDoor gateway;
    private Outbox outbox;

    @BeforeEach
    void open() throws IOException {
        gateway = new FakeDoor(directory);
        outbox = new Outbox(new Door(gateway.socket(), Duration.ofSeconds(30)), 1 << 20);
    }

    @AfterEach
    void close() throws IOException {
        outbox.close();
        gateway.close();
    }

    private Assignment.Provider extension(String name, String... tools) throws IOException {
        return new Assignment.Provider(
                name,
                TestExtension.in(directory.resolve("extensions").resolve(name)).toString(),
                TestExtension.command(tools));
    }

    private Assignment.Provider program(String name, String script) throws IOException {
        Path home = Files.createDirectories(directory.resolve("extensions").resolve(name));
        return new Assignment.Provider(name, home.toString(), List.of("bash", "-c", script));
    }

    private ExtensionHost host(List<String> selectors, Assignment.Provider... providers) throws InterruptedException {
        ToolRules rules = ToolRules.granted(
                List.of("read"),
                List.of("locked"),
                new ToolRules.Rights(ExtensionFilter.all(List.of()), Selectors.parse(selectors)),
                Set.of());
        Assignment assignment = new Assignment(
                "abcdefghijklmnop",
                "nonce",
                Assignment.Harness.BUILTIN,
                Optional.empty(),
                List.of("read"),
                rules,
                List.of(providers),
                "",
                null,
                2,
                new Assignment.Workspace("/workspace", Optional.empty()),
                Optional.empty(),
                List.of(),
                Duration.ofSeconds(10),
                50 * 1024);
        return ExtensionHost.start(
                assignment, outbox, Map.of("CALLS", directory.resolve("calls").toString()));
    }

    private static ToolResult call(ExtensionHost host, String tool, String arguments) throws Exception {
        return host.tool(tool).orElseThrow().prepare(Json.read(arguments)).run();
    }

    private static void await(BooleanSupplier condition) {
        while (!condition.getAsBoolean()) {
            LockSupport.parkNanos(1_000_000);
        }
    }

    private List<String> offered() {
        return gateway.events("extension-tools").stream().map(Object::toString).toList();
    }

    @Test
    void showsAndCallsWhatAnExtensionOffers() throws Exception {
        ExtensionHost host = host(List.of(), extension("Tickets", "search", "close"));

        assertThat(host.active()).containsExactly("Tickets");
        assertThat(host.scope().visible()).containsExactly("read", "search", "close");
        assertThat(call(host, "search", "{}")).isEqualTo(ToolResult.ok("search ran"));
        assertThat(directory.resolve("calls")).hasContent("search");
        assertThat(outbox.flush()).isTrue();
        assertThat(offered()).containsExactly("{\"extension\":\"Tickets\",\"tools\":[\"search\",\"close\"]}");
    }

    @Test
    void registersWhatComesLateAndForgetsWhatIsTakenBack() throws Exception {
        ExtensionHost host =
                host(List.of("ext:tickets/register", "ext:tickets/late"), extension("tickets", "register"));

        call(host, "register", "{\"tool\":\"late\"}");
        await(() -> host.scope().visible().equals(List.of("read", "register", "late")));
        // The gateway heard of it first: it would refuse a request that shows what it does not know.
        assertThat(offered().getLast()).contains("late");
        assertThat(call(host, "late", "{}").output()).isEqualTo("late ran");

        call(host, "register", "{\"tool\":\"unselected\"}");
        await(() -> host.scope().registered().contains("unselected"));
        assertThat(host.scope().visible()).doesNotContain("unselected");
        assertThat(host.scope().permits("unselected")).isFalse();
    }

    @Test
    void takesBackWhatIsWithdrawn() throws Exception {
        ExtensionHost host = host(List.of(), extension("tickets", "withdraw", "search"));

        call(host, "withdraw", "{\"tool\":\"search\"}");

        await(() -> !host.scope().permits("search"));
        await(() -> offered().getLast().equals("{\"extension\":\"tickets\",\"tools\":[\"withdraw\"]}"));
        assertThat(host.tool("search")).isEmpty();
    }

    @Test
    void whatAnExtensionCannotHaveItDoesNotGetByItsName() throws Exception {
        ExtensionHost host = host(
                List.of(),
                extension("tickets", "bash", "read", "Agent", "cancel_subagent", "locked", "search"),
                extension("thief", "search", "steal"));

        assertThat(host.scope().visible()).containsExactly("read", "search", "steal");
        assertThat(host.scope().provider("read")).isEmpty();
        assertThat(host.scope().provider("search").orElseThrow().entry()).isEqualTo("tickets");
        assertThat(Stream.of("bash", "Agent", "cancel_subagent", "locked")).noneMatch(host.scope()::permits);
    }

    @Test
    void anExtensionThatEndsTakesItsToolsWithIt() throws Exception {
        ExtensionHost host = host(List.of(), extension("tickets", "leave", "search"));

        assertThat(call(host, "leave", "{}").outcome()).isEqualTo(ToolResult.Outcome.ERROR);

        await(() -> host.scope().visible().equals(List.of("read")));
        await(() -> offered().getLast().equals("{\"extension\":\"tickets\",\"tools\":[]}"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "exit 1",
                "echo this is no protocol; cat",
                "head -c 5000000 /dev/zero | tr '\\0' x; cat",
                "read -r; echo '{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-1,\"message\":\"no\"}}'; cat",
                "exec 0<&-; while :; do echo '{\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}'; done | head -1000"
            })
    void whatDoesNotSpeakTheProtocolIsNotActive(String script) throws Exception {
        ExtensionHost host = host(List.of(), program("broken", script), extension("tickets", "search"));

        assertThat(host.active()).containsExactly("tickets");
        assertThat(host.scope().visible()).containsExactly("read", "search");
    }

    @Test
    void asksForNoMoreThanItsOwnBusiness() throws Exception {
        String script = """
                reply() { echo "{\\"jsonrpc\\":\\"2.0\\",\\"id\\":$1,\\"result\\":$2}"; }
                read -r _; reply 1 '{"protocolVersion":"2025-06-18"}'; read -r _
                echo '{"jsonrpc":"2.0","id":"r","method":"roots/list"}'
                echo '{"jsonrpc":"2.0","id":"p","method":"ping"}'
                for _ in 1 2 3; do read -r line; echo "$line" >> answers; done
                reply 2 '{"tools":[],"nextCursor":"more"}'
                read -r line; echo "$line" >> answers
                reply 3 '{"tools":[{"name":"search","inputSchema":{}},{"name":"bad name","inputSchema":{}},{"name":"bare"}]}'
                cat > /dev/null
                """;

        ExtensionHost host = host(List.of(), program("curious", script));

        assertThat(host.scope().registered()).contains("search").doesNotContain("bad name", "bare");
        assertThat(directory.resolve("extensions/curious/answers"))
                .content()
                .contains("\"id\":\"r\",\"error\":{\"code\":-32601")
                .contains("\"id\":\"p\",\"result\":{}")
                .contains("\"cursor\":\"more\"");
    }

    @Test
    void aCallThatIsInterruptedIsWithdrawn() throws Exception {
        ExtensionHost host = host(List.of(), extension("tickets", "sleep"));
        Tool tool = host.tool("sleep").orElseThrow();
        Thread caller = Thread.ofVirtual().start(() -> {
            try {
                tool.prepare(Json.read("{\"seconds\":\"30\"}")).run();
            } catch (Exception e) {
                Thread.currentThread().interrupt();
            }
        });
        await(() -> Files.exists(directory.resolve("calls")));

        caller.interrupt();

        assertThat(caller.join(Duration.ofSeconds(5))).isTrue();
    }

    @Test
    void longOutputIsCutAsForEveryTool() throws Exception {
        String script = """
                reply() { echo "{\\"jsonrpc\\":\\"2.0\\",\\"id\\":$1,\\"result\\":$2}"; }
                read -r _; reply 1 '{}'; read -r _; read -r _
                reply 2 '{"tools":[{"name":"flood","inputSchema":{}}]}'
                read -r _; lines=$(seq -f '%g' -s '\\n' 3000)
                reply 3 "{\\"content\\":[{\\"type\\":\\"text\\",\\"text\\":\\"$lines\\"}]}"
                cat > /dev/null
                """;
        ExtensionHost host = host(List.of(), program("loud", script));

        assertThat(call(host, "flood", "{}").output()).endsWith("\n2000\n[2000 of 3000 lines shown]");
    }
}
