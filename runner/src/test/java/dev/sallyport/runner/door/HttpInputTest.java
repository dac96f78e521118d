package dev.sallyport.runner.door;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whatever comes through the socket, it costs bounded memory, and half of it is never taken for whole. */
class HttpInputTest {

    private static HttpInput in(String text) {
        return new HttpInput(stream(text));
    }

    private static InputStream stream(String text) {
        return new ByteArrayInputStream(text.getBytes(StandardCharsets.ISO_8859_1));
    }

    private static InputStream body(String header, String value, String text) throws IOException {
        return in(text).body(Map.of(header, value), InputStream.nullInputStream());
    }

    @Test
    void refusesAnEndlessLineAndHeadersWithoutEnd() {
        assertThatThrownBy(() -> in("x".repeat(1 << 20) + "\n").line()).hasMessage("endless line");
        assertThatThrownBy(() -> in("a: b\r\n".repeat(200) + "\r\n").headers()).hasMessage("too many headers");
    }

    @ParameterizedTest
    @ValueSource(strings = {"-1", "1 ", "0x10", "9999999999999999999", ""})
    void refusesALengthThatIsNone(String length) {
        assertThatThrownBy(() -> body("content-length", length, "x")).isInstanceOf(IOException.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"-1\r\nx", "x\r\n", "\r\n", "ffffffffffffffff\r\nx"})
    void refusesAChunkSizeThatIsNone(String chunk) {
        assertThatThrownBy(() -> body("transfer-encoding", "chunked", chunk).readAllBytes())
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith("chunk size");
    }

    @Test
    void saysThatAMessageBrokeOff() {
        assertThatThrownBy(() -> body("content-length", "10", "half").readAllBytes())
                .isInstanceOf(EOFException.class);
        assertThatThrownBy(
                        () -> body("transfer-encoding", "chunked", "a\r\nhalf").readAllBytes())
                .isInstanceOf(EOFException.class);
        assertThatThrownBy(() ->
                        body("transfer-encoding", "chunked", "4\r\nhalf\r\n").readAllBytes())
                .isInstanceOf(EOFException.class);
    }

    @Test
    void takesAnAnswerUpToItsBoundOnly() throws IOException {
        assertThat(new Reply(200, Map.of(), stream("0123456789")).bytes(10)).hasSize(10);
        assertThatThrownBy(() -> new Reply(200, Map.of(), stream("0123456789x")).bytes(10))
                .hasMessage("answer is larger than 10 bytes");
    }

    @Test
    void nobodyMakesUsWaitLongerThanAMinute() {
        assertThat(new Reply(429, Map.of("retry-after", "999999"), stream("")).retryAfter())
                .contains(Duration.ofMinutes(1));
        assertThat(new Reply(429, Map.of("retry-after", "-1"), stream("")).retryAfter())
                .isEmpty();
    }

    @Test
    void aCommandThatBreaksOffIsNeitherHandedOnNorTakenForSeen() throws IOException {
        ControlStream commands = new ControlStream(command -> {
            throw new AssertionError(command);
        });

        commands.follow(stream("id: 7\nevent: task\ndata: {}\n"));

        assertThat(commands.headers()).doesNotContainKey("Last-Event-ID");
    }
}
