package dev.sallyport.gateway;

import dev.sallyport.agentfile.AgentDirectory;
import dev.sallyport.authority.Compatibility;
import dev.sallyport.authority.OperatorPolicy;
import dev.sallyport.authority.OperatorPolicyFile;
import dev.sallyport.gateway.catalogue.Catalogue;
import dev.sallyport.gateway.catalogue.Trusts;
import dev.sallyport.gateway.child.LifeSettings;
import dev.sallyport.gateway.child.LifeSettings.EventLimits;
import dev.sallyport.gateway.child.Lives;
import dev.sallyport.gateway.child.SpawnPolicy;
import dev.sallyport.gateway.credential.CredentialHosts;
import dev.sallyport.gateway.credential.StoredCredentials;
import dev.sallyport.gateway.door.Door;
import dev.sallyport.gateway.door.DoorSettings;
import dev.sallyport.gateway.door.JettyDoor;
import dev.sallyport.gateway.door.ModelShape;
import dev.sallyport.gateway.door.Provider;
import dev.sallyport.gateway.permission.HttpPermissionService;
import dev.sallyport.gateway.permission.PermissionService;
import dev.sallyport.gateway.routing.ModelRouter;
import dev.sallyport.gateway.routing.SelectorClient;
import dev.sallyport.gateway.routing.SelectorRouter;
import dev.sallyport.gateway.sandbox.BindSources;
import dev.sallyport.gateway.sandbox.ImageId;
import dev.sallyport.gateway.sandbox.docker.DockerEngine;
import dev.sallyport.gateway.workspace.WorkspaceSettings;
import dev.sallyport.gateway.workspace.Workspaces;
import dev.sallyport.identity.InstallationId;
import dev.sallyport.invocation.Settings;
import dev.sallyport.model.Model;
import dev.sallyport.model.Price;
import dev.sallyport.service.Tokens;
import io.micrometer.core.instrument.MeterRegistry;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Clock;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.support.TransactionOperations;
import tools.jackson.databind.json.JsonMapper;

/** From the configuration to the parts; no part sees the configuration itself. */
@Configuration(proxyBeanMethods = false)
@EnableConfigurationProperties(GatewayProperties.class)
class GatewayConfiguration {

    /** The veto of the runner and that of the door hold for every child (docs/adr/0012). */
    private static final Set<Compatibility.Switch> WITHOUT_EFFECT =
            EnumSet.of(Compatibility.Switch.NO_VETO_WITHOUT_EXTENSIONS);

    @Bean
    InstallationId installation(JdbcClient db) {
        return Installation.of(db);
    }

    @Bean
    PermissionService permissionService(GatewayProperties properties, Tokens tokens, Clock clock, JsonMapper json) {
        return new HttpPermissionService(properties.permissionService(), tokens, clock, json);
    }

    @Bean
    Trusts trusts(JdbcClient db, TransactionOperations transactions, JsonMapper json, Clock clock) {
        return new Trusts(db, transactions, json, clock);
    }

    @Bean
    Catalogue catalogue(GatewayProperties properties, OperatorPolicy operator, Trusts trusts, Clock clock) {
        Path home = Path.of(System.getProperty("user.home"));
        return new Catalogue(
                home,
                AgentDirectory.of(properties.agentDirectory().toString(), home),
                properties.workspaceRoots(),
                operator.compatibility().agentFiles(),
                trusts,
                clock);
    }

    @Bean
    StoredCredentials credentials(GatewayProperties properties, JdbcClient db, Clock clock) {
        return new StoredCredentials(db, properties.credentialKey(), clock);
    }

    @Bean
    CredentialHosts credentialHosts(GatewayProperties properties, OperatorPolicy operator) {
        return new CredentialHosts(providers(properties, operator).values());
    }

    @Bean
    Workspaces workspaces(GatewayProperties properties) {
        return new Workspaces(WorkspaceSettings.of(
                properties.workspaceRoots(), properties.dataDirectory().resolve("repositories")));
    }

    @Bean
    BindSources bindSources(GatewayProperties properties, DockerEngine engine) {
        return new BindSources(properties.workspaceRoots(), properties.reserved(), engine::userNamespaces);
    }

    @Bean
    Door door(
            GatewayProperties properties,
            OperatorPolicy operator,
            InstallationId installation,
            ObjectProvider<Lives> lives,
            StoredCredentials credentials,
            MeterRegistry meters)
            throws IOException {
        return JettyDoor.start(
                DoorSettings.of(properties.doorDirectory()),
                installation,
                // The door is there before the lives that are led behind it.
                (child, incarnation) -> lives.getObject().live(child, incarnation),
                credentials,
                providers(properties, operator).values(),
                properties.scripts(),
                meters);
    }

    @Bean
    LifeSettings lifeSettings(GatewayProperties properties, OperatorPolicy operator) throws IOException {
        GatewayProperties.Patience patience = properties.patience();
        GatewayProperties.Events events = properties.events();
        return new LifeSettings(
                new ImageId(properties.image()),
                properties.uids().first(),
                properties.uids().last(),
                properties.active(),
                operator.delegation().maxActivePerSession(),
                patience.prepare(),
                patience.engine(),
                patience.permissionService(),
                Set.copyOf(operator.required()),
                privateDirectory(properties.dataDirectory().resolve("children")),
                new EventLimits(
                        (int) events.size().toBytes(),
                        events.perSecond(),
                        events.total(),
                        events.totalSize().toBytes()),
                properties.steersPerMinute(),
                properties.retention(),
                properties.tool().timeout(),
                (int) properties.tool().output().toBytes());
    }

    private static Path privateDirectory(Path directory) throws IOException {
        Files.createDirectories(directory);
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwx------"));
        return directory;
    }

    /** A file that cannot be honoured to the letter stops the start: whoever wrote it believes that it holds. */
    @Bean
    OperatorPolicy operatorPolicy(GatewayProperties properties)
            throws IOException, OperatorPolicyFile.MalformedPolicyException {
        Path file = properties.policy();
        if (file == null) {
            return OperatorPolicyFile.absent();
        }
        OperatorPolicy policy = OperatorPolicyFile.parse(file.toString(), Files.readString(file));
        requireHonoured(file, policy);
        return policy;
    }

    /** @throws IllegalArgumentException if it says something that nothing here acts on yet */
    static void requireHonoured(Path file, OperatorPolicy policy) {
        List<String> idle = policy.compatibility().on().stream()
                .filter(WITHOUT_EFFECT::contains)
                .map(Compatibility.Switch::wire)
                .toList();
        if (!idle.isEmpty()) {
            throw new IllegalArgumentException(
                    "%s: compatibility: %s: it would change nothing here".formatted(file, String.join(", ", idle)));
        }
    }

    @Bean
    SpawnPolicy spawnPolicy(GatewayProperties properties, OperatorPolicy operator) {
        Map<String, ModelShape> shapes = new LinkedHashMap<>();
        shapes.put(Model.SCRIPTED, ModelShape.MESSAGES);
        providers(properties, operator).forEach((name, provider) -> shapes.put(name, provider.shape()));
        Settings settings = Settings.DEFAULT.with("scopeModels", properties.scopeModels());
        return new SpawnPolicy(operator, settings, shapes);
    }

    /** Only where a selector is set up: most gateways have none. */
    @Bean(destroyMethod = "close")
    @Lazy
    SelectorClient selectorClient() {
        return SelectorClient.start();
    }

    @Bean
    ModelRouter modelRouter(
            GatewayProperties properties,
            OperatorPolicy operator,
            StoredCredentials credentials,
            ObjectProvider<SelectorClient> client,
            MeterRegistry meters,
            JsonMapper json) {
        return properties.routing().kind() == GatewayProperties.Routing.Kind.STATIC
                ? RoutingSettings.fixed(properties.routing())
                : new SelectorRouter(
                        RoutingSettings.selector(
                                properties.routing(),
                                operator.defaultModel(),
                                providers(properties, operator).keySet()),
                        credentials,
                        client.getObject(),
                        meters,
                        json);
    }

    /** Those that come with the program, each replaceable by a configured one of its name. */
    private static Map<String, Provider> providers(GatewayProperties properties, OperatorPolicy operator) {
        Map<String, Provider> providers = new LinkedHashMap<>();
        Stream.of(Provider.anthropic(), Provider.openai())
                .forEach(provider -> providers.put(provider.name(), provider));
        properties
                .providers()
                .forEach((name, provider) -> providers.put(name, provider(name, provider, providers.get(name))));
        return priced(providers, operator.prices());
    }

    private static Map<String, Provider> priced(Map<String, Provider> providers, Map<Model, Price> prices) {
        prices.keySet().stream()
                .filter(model -> !providers.containsKey(model.provider()))
                .findFirst()
                .ifPresent(model -> {
                    throw new IllegalArgumentException("prices: `%s`: there is no provider `%s` (expected: %s)"
                            .formatted(model, model.provider(), String.join(", ", providers.keySet())));
                });
        Map<String, Provider> priced = new LinkedHashMap<>();
        providers.forEach((name, provider) -> priced.put(name, provider.priced(prices)));
        return priced;
    }

    private static Provider provider(
            String name, GatewayProperties.ProviderProperties configured, @Nullable Provider known) {
        URI baseUrl = configured.baseUrl();
        if (baseUrl == null) {
            if (known == null) {
                throw new IllegalArgumentException("provider %s: base URL (expected: one)".formatted(name));
            }
            baseUrl = known.baseUrl();
        }
        ModelShape shape = configured.shape();
        String credential = configured.credential();
        return new Provider(
                name,
                baseUrl,
                shape != null ? shape : known != null ? known.shape() : ModelShape.MESSAGES,
                credential == null ? name : credential,
                configured.betas(),
                configured.plaintextLoopback(),
                Map.of());
    }
}
