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
        assertThat(new Reply(429, Map.of("retry-after", "7"), stream("")).retryAfter())
                .contains(Duration.ofSeconds(7));
        for (String value : new String[] {"-1", "Tue, 01 Dec 2026 07:00:00 GMT", "9999999", "1.5", ""}) {
            assertThat(new Reply(429, Map.of("retry-after", value), stream("")).retryAfter())
                    .as(value)
                    .isEmpty();
        }
    }

    @Test
    void readsExactlyOneMessageOfAConnection() throws IOException {
        HttpInput chunked = in("4\r\nhalf\r\n3;of=it\r\nall\r\n0\r\nChecksum: x\r\n\r\nnext\r\n");
        InputStream body = chunked.body(
                Map.of("transfer-encoding", "Chunked", "content-length", "2"), InputStream.nullInputStream());

        assertThat(body.readAllBytes()).asString().isEqualTo("halfall");
        assertThat(body.read()).isEqualTo(-1);
        assertThat(chunked.line()).isEqualTo("next");

        HttpInput fixed = in("bodynext\n");
        assertThat(fixed.body(Map.of("content-length", "4"), InputStream.nullInputStream())
                        .readAllBytes())
                .asString()
                .isEqualTo("body");
        assertThat(fixed.line()).isEqualTo("next");
    }

    @Test
    void readsHeadersByTheirNamesWhateverTheirCase() throws IOException {
        assertThat(in("Content-LENGTH:5 \r\nno header\r\na: 1\r\nA: 2\r\n\r\n").headers())
                .isEqualTo(Map.of("content-length", "5", "a", "2"));
        assertThatThrownBy(() -> in("half a line").line()).isInstanceOf(EOFException.class);
    }
}
