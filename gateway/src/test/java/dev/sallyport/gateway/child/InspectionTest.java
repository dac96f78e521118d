package dev.sallyport.gateway.child;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.gateway.door.Command;
import dev.sallyport.gateway.error.GatewayException;
import dev.sallyport.gateway.sandbox.SandboxId;
import dev.sallyport.identity.ChildId;
import dev.sallyport.identity.Role;
import dev.sallyport.identity.Tenant;
import dev.sallyport.service.Caller;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.mock.web.MockHttpServletResponse;

class InspectionTest {

    @TempDir
    private Path directory;

    private World world;
    private ChildId id;

    @BeforeEach
    void begin() throws IOException {
        world = new World(directory);
        id = world.running();
    }

    @AfterEach
    void end() {
        world.close();
    }

    @Test // S23
    void aServiceHasNoChildren() {
        Caller service = new Caller("permissions", Tenant.DEFAULT, Caller.Kind.SERVICE, Set.of(Role.SERVICE));

        assertThatThrownBy(() -> world.inspection.child(service, id))
                .isInstanceOf(GatewayException.ChildNotFound.class);
    }

    @Test
    void takesNoReasonAndNoMessageOfAnySize() {
        assertThatThrownBy(() -> world.inspection.cancel(World.ALICE, id, "x".repeat(501)))
                .isInstanceOf(GatewayException.InvalidRequest.class);
        assertThatThrownBy(() -> world.inspection.steer(World.ALICE, id, "x".repeat((1 << 16) + 1)))
                .isInstanceOf(GatewayException.InvalidRequest.class);
        assertThat(world.child(id).ending()).isNull();
        assertThat(world.commands(id)).hasSize(2);
    }

    @Test
    void aNulOfOneCallerIsNotInTheWayOfOthers() throws IOException {
        Files.createDirectory(world.root.resolve("project"));
        for (String text : List.of("a\\u0000b", "\\\\\\u0000")) {
            for (String field : List.of("prompt", "description")) {
                String request = "{\"prompt\":\"x\",\"model\":\"scripted/demo\"}"
                        .replace("}", ",\"%s\":\"%s\"}".formatted(field, text))
                        .replace("\"prompt\":\"x\",", field.equals("prompt") ? "" : "\"prompt\":\"x\",");

                assertThatThrownBy(() -> world.spawn(request)).isInstanceOf(GatewayException.InvalidRequest.class);
            }
        }
        // A text about one is none.
        world.spawn("{\"prompt\":\"print \\\\u0000\",\"model\":\"scripted/demo\"}");

        ChildId other = world.spawn(
                "{\"prompt\":\"x\",\"model\":\"scripted/demo\",\"workspace\":\"read-only\",\"directory\":\"%s\"}"
                        .formatted(world.root.resolve("project")));

        assertThat(world.child(other).id()).isEqualTo(other);
    }

    /** Whatever way it may find past the check: one row would fail the queries about all. */
    @Test
    void theDatabaseTakesNoRowWithANul() {
        String terms = World.JSON
                .writeValueAsString(world.child(id).terms())
                .replaceFirst("\"systemPrompt\":\"", "$0\\\\u0000");

        assertThatThrownBy(() -> world.db
                        .sql("update child set terms = ?::json where id = ?")
                        .params(terms, id.value())
                        .update())
                .hasMessageContaining("Unicode");
    }

    @Test
    void aProgramTakesNoMessages() {
        ChildId program = world.running("{\"command\":[\"true\"]}");

        assertThatThrownBy(() -> world.inspection.steer(World.ALICE, program, "faster"))
                .isInstanceOf(GatewayException.InvalidRequest.class)
                .hasMessageContaining("takes no messages");
    }

    @Test
    void oneThatDoesNotRunYetTakesNoMessages() {
        world.driver.down(true);
        ChildId waiting = world.spawn();

        assertThatThrownBy(() -> world.inspection.steer(World.ALICE, waiting, "faster"))
                .isInstanceOf(GatewayException.ChildNotRunning.class);
        world.driver.down(false);
        world.awaitState(waiting, ChildState.RUNNING);
        assertThat(world.commands(waiting)).doesNotContain(Command.Type.STEER);
    }

    @Test
    void showsTheEndOfALongOutputOnly() throws InterruptedException {
        for (long n = 1; n <= 3; n++) {
            world.atDoor(id).report(List.of(World.output(n, String.valueOf(n).repeat(30_000))));
        }
        world.driver.exit(new SandboxId(id, 1), 0);
        world.awaitEnd(id);

        assertThat(world.inspection.result(World.ALICE, id, Duration.ZERO).output())
                .hasSize(1 << 16)
                .endsWith("3");
    }

    @Test
    void streamsMoreThanOnePageWithoutAGap() throws IOException {
        world.atDoor(id)
                .report(LongStream.rangeClosed(1, 999)
                        .mapToObj(n -> World.output(n, "x"))
                        .toList());
        var response = new MockHttpServletResponse();

        new EventStream(world.with.timeline(), world.with.children(), world.lives, World.JSON)
                .write(world.child(id), 0, false, response);

        assertThat(response.getContentAsString().lines().filter(line -> line.startsWith("id: ")))
                .hasSameSizeAs(world.events(id))
                .hasSizeGreaterThan(999);
    }
}
