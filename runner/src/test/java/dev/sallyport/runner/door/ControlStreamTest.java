package dev.sallyport.runner.door;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A command is heard once and whole, wherever the stream breaks. */
class ControlStreamTest {

    private final List<Command> heard = new ArrayList<>();
    private final ControlStream stream = new ControlStream(heard::add);

    private void follow(String text) throws IOException {
        stream.follow(new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)));
    }

    private String seen() {
        return stream.headers().getOrDefault("Last-Event-ID", "");
    }

    @Test
    void eachCommandHasItsOwnTypeAndData() throws IOException {
        follow("id:1\nevent: steer\ndata: {\"message\":\ndata:\"säc\"}\n\n:\n\nid: 2\ndata: {}\n\n");

        assertThat(heard)
                .containsExactly(
                        new Command("steer", Json.read("{\"message\":\"säc\"}")), new Command("", Json.object()));
        assertThat(seen()).isEqualTo("2");
    }

    @Test
    void aCommandThatBreaksOffIsNeitherHandedOnNorTakenForSeen() throws IOException {
        follow("id: 7\nevent: task\ndata: {}\n");

        assertThat(heard).isEmpty();
        assertThat(seen()).isEmpty();
    }

    @Test
    void nothingIsNoCommand() throws IOException {
        follow("id: 7\nevent: cancel\n\n: beat\n\n\n");

        assertThat(heard).isEmpty();
        assertThat(seen()).isEmpty();
    }

    @Test
    void whatWasSeenOnceStaysSeen() throws IOException {
        follow("id: 3\nevent: a\ndata: {}\n\n");
        follow("event: b\ndata: {}\n\n");
        follow("");

        assertThat(heard).extracting(Command::type).containsExactly("a", "b");
        assertThat(seen()).isEqualTo("3");
    }

    @Test
    void oneThatCannotBeReadIsNotAskedForAgain() {
        assertThatThrownBy(() -> follow("id: 4\nevent: task\ndata: {\n\n"))
                .isInstanceOf(IOException.class)
                .hasMessage("control event `task` is not JSON");

        assertThat(seen()).isEqualTo("4");
    }
}
