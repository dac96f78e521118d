package dev.sallyport.gateway.sandbox.docker;

import static org.assertj.core.api.Assertions.assertThat;

import com.github.dockerjava.api.command.CreateContainerCmd;
import com.github.dockerjava.core.DefaultDockerClientConfig;
import dev.sallyport.containment.Limits;
import dev.sallyport.containment.RuntimeClass;
import dev.sallyport.gateway.sandbox.BindSource;
import dev.sallyport.gateway.sandbox.FileKey;
import dev.sallyport.gateway.sandbox.ImageId;
import dev.sallyport.gateway.sandbox.SandboxId;
import dev.sallyport.gateway.sandbox.SandboxSpec;
import dev.sallyport.gateway.sandbox.SandboxUser;
import dev.sallyport.gateway.sandbox.VolumeId;
import dev.sallyport.gateway.sandbox.WorkspaceMount;
import dev.sallyport.identity.ChildId;
import dev.sallyport.identity.InstallationId;
import dev.sallyport.testing.Golden;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** The whole request to the engine, as it goes over the wire. */
class ContainerConfigTest {

    private static final JsonMapper JSON = JsonMapper.builder()
            .enable(SerializationFeature.INDENT_OUTPUT, SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS)
            .build();

    private static final ChildId CHILD = new ChildId("abcdefghij234567");
    private static final ImageId IMAGE = new ImageId("sha256:" + "0123456789abcdef".repeat(4));
    private static final SandboxUser USER = new SandboxUser(21_001, 21_002);
    private static final Limits LIMITS = new Limits(1500, 1 << 30, 256, Duration.ofMinutes(15), 2L << 30);

    private final ContainerConfig config = new ContainerConfig(new Labels(new InstallationId("installation2345")));
    // Never connected: requests are built, not sent.
    private final DockerEngine engine = new DockerEngine(URI.create("unix:///does/not/exist"));

    @AfterEach
    void close() throws IOException {
        engine.close();
    }

    @Test
    void hardensAChildThatAsksForNothing() throws IOException {
        assertRequest("no-workspace.json", child(new WorkspaceMount.None()));
    }

    @Test // S6
    void bindsADirectoryAloneAndReadOnly() throws IOException {
        assertRequest("read-only-bind.json", child(new WorkspaceMount.Bind(source(), true)));
    }

    @Test
    void bindsADirectoryForWriting() throws IOException {
        assertRequest("read-write-bind.json", child(new WorkspaceMount.Bind(source(), false)));
    }

    @Test
    void mountsAVolumeAndCopiesNothingIntoIt() throws IOException {
        assertRequest("volume.json", child(new WorkspaceMount.Volume(new VolumeId(CHILD))));
    }

    @Test // S15
    void salvagesWithTheRightsOfTheChild() throws IOException {
        assertRequest("salvage.json", config.salvage(request(), new VolumeId(CHILD), USER));
    }

    @Test
    void handsAVolumeOverWithOneCapability() throws IOException {
        assertRequest("hand-over.json", config.handOver(request(), new VolumeId(CHILD), USER));
    }

    @Test // P8
    void bindsExtensionsReadOnly() throws IOException {
        assertRequest(
                "extensions.json", child(new WorkspaceMount.None(), Path.of("/srv/data/extensions/abcdefghij234567")));
    }

    private CreateContainerCmd child(WorkspaceMount workspace) {
        return child(workspace, null);
    }

    private CreateContainerCmd child(WorkspaceMount workspace, @Nullable Path extensions) {
        return config.child(
                request(),
                new SandboxSpec(
                        new SandboxId(CHILD, 3),
                        IMAGE,
                        USER,
                        Path.of("/run/sallyport/installation2345/abcdefghij234567"),
                        extensions,
                        workspace,
                        LIMITS,
                        RuntimeClass.RUNC),
                "runc");
    }

    private CreateContainerCmd request() {
        return engine.client().createContainerCmd(IMAGE.value());
    }

    private static BindSource source() {
        return new BindSource(Path.of("/srv/project"), Path.of(""), new FileKey(1, 2), 1000, 1000, List.of());
    }

    private static void assertRequest(String golden, CreateContainerCmd request) throws IOException {
        JsonNode sent = JSON.readTree(DefaultDockerClientConfig.createDefaultConfigBuilder()
                .build()
                .getObjectMapper()
                .writeValueAsString(request));
        ArrayNode security = (ArrayNode) sent.at("/HostConfig/SecurityOpt");
        assertThat(security.get(1).asString()).isEqualTo("seccomp=" + Seccomp.PROFILE);
        security.set(1, "seccomp=<seccomp.json>");
        Golden.assertMatches(
                ContainerConfigTest.class,
                golden,
                JSON.writeValueAsString(JSON.treeToValue(withoutNulls(sent), Object.class)) + "\n");
    }

    /** The engine takes a null for a field that is not there, and docker-java writes one for every option that exists. */
    private static JsonNode withoutNulls(JsonNode node) {
        if (node instanceof ObjectNode object) {
            object.properties().removeIf(field -> field.getValue().isNull());
        }
        node.forEach(ContainerConfigTest::withoutNulls);
        return node;
    }
}
