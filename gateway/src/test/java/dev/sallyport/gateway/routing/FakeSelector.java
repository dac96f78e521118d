package dev.sallyport.gateway.routing;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import dev.sallyport.gateway.door.AddressCheck;
import dev.sallyport.gateway.door.Resolver;
import dev.sallyport.model.Model;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import org.eclipse.jetty.util.ssl.SslContextFactory;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A selector over HTTPS on loopback that answers as a test tells it to and remembers what it was sent. */
public final class FakeSelector implements AutoCloseable {

    public static final String HOST = "selector.test";
    public static final String KEY = "planted-key-4f9d2c81";
    public static final String PATH = "/planted-path-77ac";

    private static final char[] PASSWORD = "changeit".toCharArray();

    /** One request as it came. */
    public record Seen(String target, Headers headers, JsonNode body) {}

    /** What is answered. */
    public interface Script {
        void answer(HttpExchange exchange) throws IOException;
    }

    public final List<Seen> seen = new CopyOnWriteArrayList<>();
    public volatile Script script = exchange -> send(exchange, 500, "");

    /** What a router made from now on waits. */
    public volatile Duration patience = Duration.ofSeconds(30);

    private final List<SelectorClient> clients = new CopyOnWriteArrayList<>();
    private final HttpsServer server;
    private final KeyStore store;

    /** Makes a certificate in the directory. */
    public FakeSelector(Path directory) throws IOException {
        try {
            store = store(directory.resolve("selector.p12"));
            KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            keys.init(store, PASSWORD);
            SSLContext tls = SSLContext.getInstance("TLS");
            tls.init(keys.getKeyManagers(), null, null);
            server = HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
            server.setHttpsConfigurator(new HttpsConfigurator(tls));
        } catch (GeneralSecurityException e) {
            throw new IOException(e);
        }
        server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        server.createContext("/", exchange -> {
            seen.add(new Seen(
                    exchange.getRequestURI().toString(),
                    exchange.getRequestHeaders(),
                    JsonMapper.shared().readTree(exchange.getRequestBody().readAllBytes())));
            try (exchange) {
                script.answer(exchange);
            }
        });
        server.start();
    }

    private static KeyStore store(Path file) throws IOException, GeneralSecurityException {
        if (!Files.exists(file)) {
            String keytool =
                    Path.of(System.getProperty("java.home"), "bin", "keytool").toString();
            Process process = new ProcessBuilder(
                            keytool,
                            "-genkeypair",
                            "-alias",
                            "selector",
                            "-keyalg",
                            "EC",
                            "-validity",
                            "2",
                            "-dname",
                            "CN=" + HOST,
                            "-ext",
                            "san=dns:" + HOST,
                            "-storetype",
                            "PKCS12",
                            "-keystore",
                            file.toString(),
                            "-storepass",
                            new String(PASSWORD))
                    .redirectErrorStream(true)
                    .start();
            String said = new String(process.getInputStream().readAllBytes(), UTF_8);
            if (process.onExit().join().exitValue() != 0) {
                throw new IOException("keytool: " + said);
            }
        }
        KeyStore store = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(file)) {
            store.load(in, PASSWORD);
        }
        return store;
    }

    /** A router that asks this selector, wherever the names lead. */
    public ModelRouter router(boolean defaultOnFailure, Model... candidates) {
        return router(defaultOnFailure, new SimpleMeterRegistry(), candidates);
    }

    ModelRouter router(boolean defaultOnFailure, MeterRegistry meters, Model... candidates) {
        return router(url(HOST), KEY, defaultOnFailure, client(this::resolve, _ -> true, true), meters, candidates);
    }

    ModelRouter router(
            String url,
            String key,
            boolean defaultOnFailure,
            SelectorClient client,
            MeterRegistry meters,
            Model... candidates) {
        Map<Model, String> described = new LinkedHashMap<>();
        for (Model candidate : candidates) {
            described.put(candidate, "description of " + candidate.id());
        }
        SelectorSettings settings =
                new SelectorSettings(SelectorUrl.parse(url), "selector", described, patience, 1000, defaultOnFailure);
        return new SelectorRouter(
                settings,
                (_, name) ->
                        name.equals("selector") ? Optional.of(key).filter(value -> !value.isEmpty()) : Optional.empty(),
                client,
                meters,
                JsonMapper.shared());
    }

    SelectorClient client(Resolver resolver, AddressCheck addresses, boolean trusted) {
        SslContextFactory.Client tls = new SslContextFactory.Client();
        if (trusted) {
            tls.setTrustStore(store);
        }
        SelectorClient client = SelectorClient.start(resolver, addresses, tls);
        clients.add(client);
        return client;
    }

    String url(String host) {
        return "https://%s:%d%s".formatted(host, server.getAddress().getPort(), PATH);
    }

    List<InetAddress> resolve(String host) throws UnknownHostException {
        if (!host.endsWith(".test")) {
            throw new UnknownHostException(host);
        }
        return List.of(InetAddress.getLoopbackAddress());
    }

    public void chooses(Model model) {
        answers(200, "{\"model\": \"%s\"}".formatted(model));
    }

    public void answers(int status, String body) {
        script = exchange -> send(exchange, status, body);
    }

    static void send(HttpExchange exchange, int status, String body) throws IOException {
        byte[] bytes = body.getBytes(UTF_8);
        exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
        exchange.getResponseBody().write(bytes);
    }

    @Override
    public void close() {
        clients.forEach(SelectorClient::close);
        server.stop(0);
    }
}
