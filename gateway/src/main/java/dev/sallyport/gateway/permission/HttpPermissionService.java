package dev.sallyport.gateway.permission;

import dev.sallyport.identity.ChildId;
import dev.sallyport.identity.Role;
import dev.sallyport.identity.SessionId;
import dev.sallyport.identity.Tenant;
import dev.sallyport.service.Caller;
import dev.sallyport.service.Tokens;
import java.io.IOException;
import java.net.URI;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.apache.hc.client5.http.config.ConnectionConfig;
import org.apache.hc.client5.http.config.RequestConfig;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.client5.http.impl.classic.HttpClients;
import org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManagerBuilder;
import org.apache.hc.client5.http.protocol.HttpClientContext;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.ContentType;
import org.apache.hc.core5.http.io.entity.EntityUtils;
import org.apache.hc.core5.http.io.support.ClassicRequestBuilder;
import org.apache.hc.core5.io.CloseMode;
import org.apache.hc.core5.util.Timeout;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** Speaks to the permission-service over HTTP: as itself between services, as the caller where a session is the caller's. */
public final class HttpPermissionService implements PermissionService, AutoCloseable {

    private static final Duration TOKEN_LIFE = Duration.ofMinutes(10);
    private static final Duration CALLER_TOKEN_LIFE = Duration.ofMinutes(1);

    /** More than the wait that was asked for: a service that is silent for longer is taken for gone. */
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private static final byte[] NOTHING = {};

    /** Each call that waits for a person holds one. */
    private static final int MOST_CONNECTIONS = 4096;

    private final URI base;
    private final Tokens tokens;
    private final Clock clock;
    private final JsonMapper json;
    private final CloseableHttpClient http = HttpClients.custom()
            .setConnectionManager(PoolingHttpClientConnectionManagerBuilder.create()
                    .setMaxConnTotal(MOST_CONNECTIONS)
                    .setMaxConnPerRoute(MOST_CONNECTIONS)
                    .setDefaultConnectionConfig(ConnectionConfig.custom()
                            .setConnectTimeout(Timeout.ofSeconds(2))
                            .build())
                    .build())
            .disableAutomaticRetries()
            .disableRedirectHandling()
            .disableCookieManagement()
            .disableAuthCaching()
            .disableContentCompression()
            .build();

    private volatile @Nullable ServiceToken serviceToken;

    public HttpPermissionService(URI base, Tokens tokens, Clock clock, JsonMapper json) {
        this.base = base;
        this.tokens = tokens;
        this.clock = clock;
        this.json = json;
    }

    @Override
    public Session createSession(Caller caller) {
        return session(uninterrupted("POST", "/v1/sessions", json.createObjectNode(), callerToken(caller)));
    }

    @Override
    public Optional<Session> session(Caller caller, SessionId id) {
        try {
            return Optional.of(session(uninterrupted("GET", "/v1/sessions/" + id, null, callerToken(caller))));
        } catch (PermissionServiceException.Refused e) {
            if (e.code().equals("session-not-found")) {
                return Optional.empty();
            }
            throw e;
        }
    }

    @Override
    public void register(Registration registration) {
        uninterrupted(
                "PUT",
                "/v1/children/" + registration.child(),
                json.valueToTree(RegistrationMessage.of(registration)),
                serviceToken());
    }

    @Override
    public void end(ChildId child, int incarnation) {
        uninterrupted(
                "POST",
                "/v1/children/%s/end".formatted(child),
                json.createObjectNode().put("incarnation", incarnation),
                serviceToken());
    }

    @Override
    public PermissionDecision decide(DecisionRequest request, Duration wait) throws InterruptedException {
        JsonNode answer = send(
                "POST",
                "/v1/decisions?wait=%dms".formatted(wait.toMillis()),
                json.valueToTree(DecisionMessage.of(request)),
                serviceToken(),
                wait.plus(PATIENCE));
        try {
            return new PermissionDecision(
                    Outcome.parse(text(answer, "decision")),
                    answer.path("askId").asString(null),
                    answer.path("reason").asString(null),
                    text(answer.path("decider"), "kind").equals("human"));
        } catch (IllegalArgumentException e) {
            throw new PermissionServiceException.Unreachable(e);
        }
    }

    @Override
    public void close() {
        http.close(CloseMode.IMMEDIATE);
    }

    private JsonNode uninterrupted(String method, String path, @Nullable JsonNode body, String token) {
        try {
            return send(method, path, body, token, PATIENCE);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new PermissionServiceException.Unreachable(e);
        }
    }

    private JsonNode send(String method, String path, @Nullable JsonNode body, String token, Duration timeout)
            throws InterruptedException {
        ClassicRequestBuilder request = ClassicRequestBuilder.create(method)
                .setUri(base.resolve(path))
                .setHeader("Authorization", "Bearer " + token);
        if (body != null) {
            request.setEntity(json.writeValueAsBytes(body), ContentType.APPLICATION_JSON);
        }
        HttpClientContext context = HttpClientContext.create();
        context.setRequestConfig(RequestConfig.custom()
                .setResponseTimeout(Timeout.of(timeout))
                .setConnectionRequestTimeout(Timeout.of(timeout))
                .build());
        try {
            return http.execute(request.build(), context, this::read);
        } catch (IOException e) {
            if (Thread.interrupted()) {
                // An interrupted virtual thread finds its socket closed.
                InterruptedException interrupted = new InterruptedException();
                interrupted.initCause(e);
                throw interrupted;
            }
            throw new PermissionServiceException.Unreachable(e);
        }
    }

    private JsonNode read(ClassicHttpResponse response) throws IOException {
        int status = response.getCode();
        JsonNode answer;
        try {
            answer = json.readTree(
                    response.getEntity() == null ? NOTHING : EntityUtils.toByteArray(response.getEntity()));
        } catch (JacksonException e) {
            throw new PermissionServiceException.Unreachable("status %d without a JSON body".formatted(status));
        }
        if (status / 100 == 2) {
            return answer;
        }
        // A refused token is our configuration or a restart of the other side, never the child's doing.
        if (status / 100 == 5 || status == 401 || status == 403) {
            throw new PermissionServiceException.Unreachable("status %d: %s".formatted(status, text(answer, "detail")));
        }
        throw new PermissionServiceException.Refused(status, text(answer, "code"), text(answer, "detail"));
    }

    private static Session session(JsonNode answer) {
        try {
            return new Session(
                    new SessionId(text(answer, "id")), new Tenant(text(answer, "tenant")), text(answer, "owner"));
        } catch (IllegalArgumentException e) {
            throw new PermissionServiceException.Unreachable(e);
        }
    }

    private static String text(JsonNode node, String field) {
        return node.path(field).asString("");
    }

    private String callerToken(Caller caller) {
        return tokens.issue(caller, CALLER_TOKEN_LIFE);
    }

    private String serviceToken() {
        Instant now = clock.instant();
        ServiceToken current = serviceToken;
        if (current == null || !now.isBefore(current.renewAt())) {
            Caller gateway = new Caller("gateway", Tenant.DEFAULT, Caller.Kind.SERVICE, Set.of(Role.SERVICE));
            current = new ServiceToken(tokens.issue(gateway, TOKEN_LIFE), now.plus(TOKEN_LIFE.dividedBy(2)));
            serviceToken = current;
        }
        return current.value();
    }

    private record ServiceToken(String value, Instant renewAt) {}

    record RegistrationMessage(
            String tenant,
            String session,
            @Nullable String parent,
            int incarnation,
            String agent,
            @Nullable String definitionDigest,
            String authorityDigest,
            String workspace,
            List<Narrowing> narrowing) {

        static RegistrationMessage of(Registration registration) {
            return new RegistrationMessage(
                    registration.tenant().value(),
                    registration.session().value(),
                    registration.parent() == null ? null : registration.parent().value(),
                    registration.incarnation(),
                    registration.agent(),
                    registration.definitionDigest(),
                    registration.authorityDigest(),
                    registration.workspace(),
                    registration.narrowing());
        }
    }

    /** Fields that do not apply are left out. */
    @com.fasterxml.jackson.annotation.JsonInclude(com.fasterxml.jackson.annotation.JsonInclude.Include.NON_NULL)
    record DecisionMessage(
            String tenant,
            String session,
            String child,
            int incarnation,
            String callId,
            String kind,
            @Nullable String tool,
            @Nullable ObjectNode arguments,
            @Nullable String directory,
            @Nullable String host,
            @Nullable Integer port) {

        static DecisionMessage of(DecisionRequest request) {
            return switch (request.subject()) {
                case Subject.Tool tool ->
                    of(request, "tool", tool.tool(), tool.arguments(), tool.directory(), null, null);
                case Subject.Network network ->
                    of(request, "network", null, null, null, network.host(), network.port());
            };
        }

        private static DecisionMessage of(
                DecisionRequest request,
                String kind,
                @Nullable String tool,
                @Nullable ObjectNode arguments,
                @Nullable String directory,
                @Nullable String host,
                @Nullable Integer port) {
            return new DecisionMessage(
                    request.tenant().value(),
                    request.session().value(),
                    request.child().value(),
                    request.incarnation(),
                    request.callId().value(),
                    kind,
                    tool,
                    arguments,
                    directory,
                    host,
                    port);
        }
    }
}
