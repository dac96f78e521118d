package dev.sallyport.standalone;

import dev.sallyport.gateway.GatewayApplication;
import dev.sallyport.identity.Role;
import dev.sallyport.identity.Tenant;
import dev.sallyport.permissions.PermissionServiceApplication;
import dev.sallyport.service.Caller;
import dev.sallyport.service.Tokens;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.Banner;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.MapPropertySource;
import tools.jackson.databind.json.JsonMapper;

/** Both services in one process, as one installation. */
final class Standalone implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Standalone.class);

    private static final Duration SESSION_TOKEN_LIFE = Duration.ofDays(30);
    private static final Duration LOGIN_LIFE = Duration.ofHours(12);
    private static final Set<Role> PERSON =
            EnumSet.of(Role.SPAWN, Role.OBSERVE, Role.APPROVE, Role.OPERATE, Role.AUDIT);

    /** In the order in which they are closed. */
    private final List<AutoCloseable> parts;

    private final URI gateway;
    private final URI permissions;
    /** Where each service's health and metrics are, by its name. */
    private final Map<String, String> management;

    private Standalone(List<AutoCloseable> parts, URI gateway, URI permissions, Map<String, String> management) {
        this.parts = parts;
        this.gateway = gateway;
        this.permissions = permissions;
        this.management = management;
    }

    /** @param keys lines of provider name, space, key; empty if there are none (P19) */
    static Standalone start(StandaloneApplication.Options options, InputStream keys) throws IOException, SQLException {
        List<AutoCloseable> parts = new ArrayList<>();
        try {
            return start(options, keys, parts);
        } catch (IOException | SQLException | RuntimeException e) {
            closeAll(parts);
            throw e;
        }
    }

    private static Standalone start(StandaloneApplication.Options options, InputStream keys, List<AutoCloseable> parts)
            throws IOException, SQLException {
        Home home = opened(parts, Home.open(options.home()));
        Database database = opened(parts, Database.start(home));
        if (database.letsInWithoutPassword()) {
            throw new IllegalStateException("the database lets in whoever leaves the password out");
        }
        // Lives in memory only: nothing at rest can sign a token (docs/adr/0003).
        String signingKey = Home.randomSecret();
        Tokens tokens = new Tokens(signingKey, Clock.systemUTC());

        ConfigurableApplicationContext permissionService = opened(
                parts,
                run(
                        PermissionServiceApplication.class,
                        "permission-service",
                        database,
                        signingKey,
                        options,
                        Map.of("server.port", options.permissionsPort(), "management.server.port", 0)));
        URI permissions = address(permissionService);
        Map<String, Object> gatewaySettings = new HashMap<>(Map.of(
                "server.port",
                options.gatewayPort(),
                "management.server.port",
                options.managementPort(),
                "sallyport.gateway.permission-service",
                permissions,
                "sallyport.gateway.credential-key",
                home.secret("credential.key"),
                "sallyport.gateway.data-directory",
                home.resolve("gateway"),
                "sallyport.gateway.reserved",
                options.home(),
                "sallyport.gateway.scripts",
                home.resolve("scripts"),
                "sallyport.gateway.workspace-roots",
                System.getProperty("user.home")));
        if (Files.exists(home.resolve("sallyport.yaml"))) {
            gatewaySettings.put("sallyport.gateway.policy", home.resolve("sallyport.yaml"));
        }
        ConfigurableApplicationContext gatewayService =
                opened(parts, run(GatewayApplication.class, "gateway", database, signingKey, options, gatewaySettings));
        Standalone standalone = new Standalone(
                parts,
                address(gatewayService),
                permissions,
                Map.of("gateway", management(gatewayService), "permissions", management(permissionService)));
        standalone.announce(home, tokens, keys);
        return standalone;
    }

    private void announce(Home home, Tokens tokens, InputStream keys) throws IOException {
        store(keys, tokens);
        JsonMapper json = new JsonMapper();
        parts.addFirst(LoginSocket.open(
                home.resolve("login.sock"),
                System.getProperty("user.name"),
                user -> json.writeValueAsString(Map.of(
                        "token",
                        tokens.issue(person(user), LOGIN_LIFE),
                        "expiresAt",
                        Clock.systemUTC().instant().plus(LOGIN_LIFE).toString()))));
        home.write(
                "session.token",
                tokens.issue(
                        new Caller(
                                System.getProperty("user.name"),
                                Tenant.DEFAULT,
                                Caller.Kind.SESSION,
                                EnumSet.of(Role.SPAWN, Role.OBSERVE)),
                        SESSION_TOKEN_LIFE));
        // Last: whoever finds this file finds everything else ready.
        home.write(
                "endpoint.json",
                json.writeValueAsString(Map.of(
                        "gateway",
                        gateway.toString(),
                        "permissions",
                        permissions.toString(),
                        "management",
                        management,
                        "pid",
                        ProcessHandle.current().pid())));
        LOG.info("ready: gateway {}, permission service {}", gateway, permissions);
    }

    private static Caller person(String user) {
        return new Caller(user, Tenant.DEFAULT, Caller.Kind.PERSON, PERSON);
    }

    private void store(InputStream keys, Tokens tokens) throws IOException {
        BufferedReader lines = new BufferedReader(new InputStreamReader(keys, StandardCharsets.UTF_8));
        for (String line = lines.readLine(); line != null && !line.isBlank(); line = lines.readLine()) {
            String[] nameAndKey = line.trim().split(" ", 2);
            if (nameAndKey.length == 2) {
                store(nameAndKey[0], nameAndKey[1], tokens);
            }
        }
    }

    private void store(String name, String key, Tokens tokens) throws IOException {
        HttpRequest request = HttpRequest.newBuilder(gateway.resolve("/v1/credentials/" + name))
                .header(
                        "Authorization",
                        "Bearer " + tokens.issue(person(System.getProperty("user.name")), Duration.ofMinutes(1)))
                .header("Content-Type", "text/plain")
                .PUT(HttpRequest.BodyPublishers.ofString(key))
                .build();
        try (HttpClient client = HttpClient.newHttpClient()) {
            int status =
                    client.send(request, HttpResponse.BodyHandlers.discarding()).statusCode();
            if (status >= 300) {
                LOG.warn("the key of {} was not stored: the gateway answered {}", name, status);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while storing a key", e);
        }
    }

    /** Two applications in one process: each reads its own configuration file and keeps its own schema. */
    private static ConfigurableApplicationContext run(
            Class<?> application,
            String name,
            Database database,
            String signingKey,
            StandaloneApplication.Options options,
            Map<String, Object> settings) {
        // Properties and not arguments: arguments show in the list of processes.
        var properties = new HashMap<String, Object>(settings);
        properties.put("spring.datasource.url", database.url());
        properties.put("spring.datasource.username", database.user());
        properties.put("spring.datasource.password", database.password());
        properties.put("sallyport.auth.key", signingKey);
        properties.put("spring.jmx.enabled", false);
        properties.putAll(options.properties());
        SpringApplication spring = new SpringApplication(application);
        spring.setBannerMode(Banner.Mode.OFF);
        // Stopped with everything else and before the database; a hook of its own would run at the same time.
        spring.setRegisterShutdownHook(false);
        spring.addInitializers(context -> context.getEnvironment()
                .getPropertySources()
                .addFirst(new MapPropertySource("standalone", properties)));
        return spring.run("--spring.config.name=" + name);
    }

    private static URI address(ConfigurableApplicationContext context) {
        if (context instanceof WebServerApplicationContext web && web.getWebServer() != null) {
            return URI.create("http://127.0.0.1:" + web.getWebServer().getPort());
        }
        throw new IllegalStateException("a service without a web server");
    }

    private static String management(ConfigurableApplicationContext context) {
        return "http://127.0.0.1:" + context.getEnvironment().getRequiredProperty("local.management.port");
    }

    private static <T extends AutoCloseable> T opened(List<AutoCloseable> parts, T part) {
        parts.addFirst(part);
        return part;
    }

    URI gateway() {
        return gateway;
    }

    URI permissions() {
        return permissions;
    }

    /** Children go on; the next start adopts them. */
    @Override
    public void close() {
        closeAll(parts);
    }

    private static void closeAll(List<AutoCloseable> parts) {
        for (AutoCloseable part : parts) {
            try {
                part.close();
            } catch (Exception e) {
                // The others are closed all the same.
                LOG.warn("while stopping: {}", e.toString());
            }
        }
    }
}
