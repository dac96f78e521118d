package dev.sallyport.bench;

import dev.sallyport.agentfile.AgentFiles;
import dev.sallyport.agentfile.AgentRegistry;
import dev.sallyport.authority.AuthorityRequest;
import dev.sallyport.authority.AuthorityResolver;
import dev.sallyport.authority.OperatorPolicy;
import dev.sallyport.authority.OperatorPolicyFile;
import dev.sallyport.authority.Outcome;
import dev.sallyport.invocation.Settings;
import dev.sallyport.invocation.SpawnCall;
import dev.sallyport.toolscope.BuiltinTools;
import dev.sallyport.toolscope.Extension;
import dev.sallyport.toolscope.ExtensionFilter;
import dev.sallyport.toolscope.Selectors;
import dev.sallyport.toolscope.ToolRules;
import dev.sallyport.toolscope.ToolScope;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.Callback;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/** What the resolver costs, each beside what it is compared with; {@link CoreRatios} divides them. */
@State(Scope.Thread)
@BenchmarkMode(Mode.SampleTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 2)
@Measurement(iterations = 5, time = 2)
@Fork(1)
@SuppressWarnings("NullAway.Init") // JMH calls prepare before everything else
public class CoreBenchmark {

    private static final byte[] REQUEST =
            "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] ANSWER = "ok".getBytes(StandardCharsets.US_ASCII);

    private Path directory;
    private AuthorityRequest spawn;
    private AgentFiles files;
    private Server server;
    private Socket socket;
    private InputStream in;
    private OutputStream out;
    private ToolScope scope;
    private Map<String, String> map;

    @Setup
    public void prepare() throws Exception {
        directory = Files.createTempDirectory("sallyport-bench");
        agents("hundred", 100);
        agents("thousand", 1_000);
        OperatorPolicy operator =
                OperatorPolicyFile.parse("bench.yaml", "version: 1\ndefaults: {model: scripted/demo}\n");
        AgentRegistry registry =
                new AgentFiles(AgentFiles.Leniency.NONE).load(directory.resolve("hundred"), null, true);
        spawn = new AuthorityRequest(
                registry, SpawnCall.builder("agent-50").hasDirectory(true).build(), Settings.DEFAULT, operator, null);
        files = new AgentFiles(AgentFiles.Leniency.NONE, () -> Instant.now().plusSeconds(60));
        serve();
        scope();
    }

    private void agents(String name, int count) throws IOException {
        Path agents = Files.createDirectories(directory.resolve(name).resolve("agents"));
        for (int i = 0; i < count; i++) {
            Files.writeString(agents.resolve("agent-" + i + ".md"), """
                    ---
                    description: the agent of this number
                    model: scripted/demo
                    tools: read, bash, edit, grep
                    disallowed_tools: write
                    sandbox:
                      workspace: clone
                      network: [example.com]
                      limits: {cpu: 1, memory: 512m, wall: 5m}
                    permission:
                      bash: {"*": ask, "git status*": allow}
                    ---
                    You are agent %d. You read before you judge, and you say what you did.
                    """.formatted(i));
        }
    }

    private void serve() throws Exception {
        server = new Server();
        ServerConnector connector = new ServerConnector(server, 1, 1);
        connector.setHost("127.0.0.1");
        server.addConnector(connector);
        server.setHandler(new Handler.Abstract.NonBlocking() {
            @Override
            public boolean handle(Request request, Response response, Callback callback) {
                Content.Sink.write(response, true, "ok", callback);
                return true;
            }
        });
        server.start();
        socket = new Socket(InetAddress.getLoopbackAddress(), connector.getLocalPort());
        socket.setTcpNoDelay(true);
        in = new BufferedInputStream(socket.getInputStream());
        out = socket.getOutputStream();
    }

    private void scope() {
        ToolRules rules = new ToolRules(
                BuiltinTools.NAMES,
                Set.of("write"),
                List.of(new ToolRules.Rights(
                        ExtensionFilter.all(List.of()), Selectors.parse(List.of("ext:alpha/search")))),
                true,
                Set.of());
        scope = new ToolScope(rules);
        scope.load(new Extension("/x/alpha.ts", List.of("alpha")), List.of("search", "fetch"));
        map = new HashMap<>();
        BuiltinTools.NAMES.forEach(name -> map.put(name, name));
    }

    @TearDown
    public void remove() throws Exception {
        socket.close();
        server.stop();
        try (var walk = Files.walk(directory)) {
            for (Path path : walk.toList().reversed()) {
                Files.delete(path);
            }
        }
    }

    /** One keep-alive request with an answer of two bytes. */
    @Benchmark
    public int roundTrip() throws IOException {
        out.write(REQUEST);
        int matched = 0;
        int read = 0;
        // Head and body end with the two bytes after an empty line.
        for (int line = 0; matched < ANSWER.length; ) {
            int next = in.read();
            read++;
            if (line < 4) {
                line = next == (line % 2 == 0 ? '\r' : '\n') ? line + 1 : next == '\r' ? 1 : 0;
            } else {
                matched++;
            }
        }
        return read;
    }

    /** One spawn among a hundred agent files, with the digest of its authority. */
    @Benchmark
    public String resolve() {
        return ((Outcome.Granted) AuthorityResolver.resolve(spawn)).authority().digest();
    }

    /** A directory of a thousand files with sizes and times. */
    @Benchmark
    public long listing() throws IOException {
        long sum = 0;
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory.resolve("thousand/agents"))) {
            for (Path entry : entries) {
                BasicFileAttributes is = Files.readAttributes(entry, BasicFileAttributes.class);
                FileTime modified = is.lastModifiedTime();
                sum += is.size() + modified.toMillis();
            }
        }
        return sum;
    }

    /** The agents of the same directory, unchanged. */
    @Benchmark
    public AgentRegistry reread() {
        return files.load(directory.resolve("thousand"), null, true);
    }

    /** Two decisions. */
    @Benchmark
    @BenchmarkMode(Mode.AverageTime)
    public boolean inScope() {
        boolean search = scope.permits("search");
        return scope.permits("fetch") == search;
    }

    @Benchmark
    @BenchmarkMode(Mode.AverageTime)
    public int fiveLookUps() {
        int found = 0;
        for (String name : LOOKED_FOR) {
            found += map.containsKey(name) ? 1 : 0;
        }
        return found;
    }

    private static final List<String> LOOKED_FOR = List.of("read", "search", "bash", "fetch", "ls");
}
