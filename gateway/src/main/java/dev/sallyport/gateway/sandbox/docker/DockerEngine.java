package dev.sallyport.gateway.sandbox.docker;

import com.github.dockerjava.api.DockerClient;
import com.github.dockerjava.api.exception.BadRequestException;
import com.github.dockerjava.api.exception.ConflictException;
import com.github.dockerjava.api.exception.DockerException;
import com.github.dockerjava.api.exception.NotFoundException;
import com.github.dockerjava.api.model.Info;
import com.github.dockerjava.api.model.Version;
import com.github.dockerjava.api.model.VersionComponent;
import com.github.dockerjava.core.DefaultDockerClientConfig;
import com.github.dockerjava.core.DockerClientImpl;
import com.github.dockerjava.zerodep.ZerodepDockerHttpClient;
import dev.sallyport.containment.RuntimeClass;
import dev.sallyport.gateway.sandbox.SandboxException;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** One Docker engine, and how its failures read on our side. */
public final class DockerEngine implements AutoCloseable {

    private static final Duration CONNECT = Duration.ofSeconds(5);

    // Names under which each class is commonly registered with the engine.
    private static final Map<RuntimeClass, List<String>> RUNTIMES = Map.of(
            RuntimeClass.RUNC, List.of("runc"),
            RuntimeClass.GVISOR, List.of("runsc"),
            RuntimeClass.KATA, List.of("kata", "kata-runtime", "io.containerd.kata.v2"));

    private final DockerClient client;

    /** Does not connect yet: an engine that is down is each call's {@link SandboxException.BackendUnavailable}. */
    public DockerEngine(URI host) {
        this.client = DockerClientImpl.getInstance(
                DefaultDockerClientConfig.createDefaultConfigBuilder()
                        .withDockerHost(host.toString())
                        .build(),
                new ZerodepDockerHttpClient.Builder()
                        .dockerHost(host)
                        .connectionTimeout(CONNECT)
                        .build());
    }

    DockerClient client() {
        return client;
    }

    /** Runs one request and turns what docker-java throws into ours. */
    <T> T ask(Supplier<T> request) {
        try {
            return request.get();
        } catch (BadRequestException | NotFoundException | ConflictException e) {
            throw new SandboxException.Rejected(reason(e), e);
        } catch (DockerException e) {
            throw new SandboxException.BackendUnavailable(reason(e), e);
        } catch (RuntimeException e) {
            throw translated(e);
        }
    }

    /** The transport wraps a broken connection into a bare runtime exception; all others are bugs and stay what they are. */
    static RuntimeException translated(RuntimeException e) {
        for (Throwable cause = e; cause != null; cause = cause.getCause()) {
            if (cause instanceof IOException io) {
                return new SandboxException.BackendUnavailable(
                        Objects.requireNonNullElse(io.getMessage(), "no answer"), e);
            }
        }
        return e;
    }

    /** The engine's sentence without docker-java's and JSON's around it. */
    static String reason(DockerException e) {
        String message = Objects.requireNonNullElse(e.getMessage(), "status " + e.getHttpStatus());
        int start = message.indexOf("{\"message\":\"");
        int end = message.lastIndexOf("\"}");
        return start < 0 || end < start
                ? message
                : message.substring(start + 12, end).replace("\\\"", "\"");
    }

    /**
     * The engine's name for a runtime class.
     *
     * @throws SandboxException.RuntimeNotFound if it lists none: there is no falling back to a weaker one
     */
    String runtime(RuntimeClass wanted) {
        if (wanted == RuntimeClass.RUNC) {
            return "runc";
        }
        Set<String> there = runtimes(ask(client.infoCmd()::exec));
        List<String> names = Objects.requireNonNull(RUNTIMES.get(wanted));
        return names.stream()
                .filter(there::contains)
                .findFirst()
                .orElseThrow(() -> new SandboxException.RuntimeNotFound(
                        wanted, "the engine lists %s (expected: one of %s)".formatted(there, names)));
    }

    /** Whether a container's users are others of the host. */
    public boolean userNamespaces() {
        return has(orEmpty(ask(client.infoCmd()::exec).getSecurityOptions()), "userns");
    }

    /** @param boundedVolumes as in {@link DoctorFacts} */
    DoctorFacts facts(String boundedVolumes) {
        Info info = ask(client.infoCmd()::exec);
        Version version = ask(client.versionCmd()::exec);
        List<String> security = orEmpty(info.getSecurityOptions());
        String runc = component(version, "runc");
        return new DoctorFacts(
                text(version.getVersion()),
                text(version.getApiVersion()),
                runc,
                RuncVersion.vulnerabilities(runc),
                List.copyOf(runtimes(info)),
                text(info.getCGroupVersion()),
                text(info.getDriver()),
                has(security, "userns"),
                has(security, "rootless"),
                has(security, "seccomp"),
                text(info.getKernelVersion()),
                boundedVolumes);
    }

    private static boolean has(List<String> security, String name) {
        return security.stream()
                .anyMatch(option -> Stream.of(option.split(",", -1)).anyMatch(("name=" + name)::equals));
    }

    private static Set<String> runtimes(Info info) {
        return info.getRuntimes() == null
                ? Set.of()
                : new TreeSet<>(info.getRuntimes().keySet());
    }

    private static String component(Version version, String name) {
        List<VersionComponent> components = orEmpty(version.getComponents());
        return components.stream()
                .filter(component -> name.equals(component.getName()))
                .map(component -> text(component.getVersion()))
                .findFirst()
                .orElse("");
    }

    private static <T> List<T> orEmpty(@Nullable List<T> list) {
        return list == null ? List.of() : list;
    }

    private static String text(@Nullable String value) {
        return value == null ? "" : value;
    }

    @Override
    public void close() throws IOException {
        client.close();
    }
}
