package dev.sallyport.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HttpTest {

    /** What the client makes of these bytes. */
    private static String get(String answer, Map<String, String> headers) throws IOException {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Thread.ofVirtual().start(() -> {
                try (Socket socket = server.accept()) {
                    socket.getOutputStream().write(answer.getBytes(UTF_8));
                    socket.shutdownOutput();
                    socket.getInputStream().readAllBytes();
                } catch (IOException e) {
                    // the client left
                }
            });
            URI address = URI.create("http://127.0.0.1:" + server.getLocalPort());
            try (Http.Response response =
                    Http.send(address, new Http.Request("GET", "/", headers, null, Duration.ofSeconds(5)))) {
                return response.status() + " " + response.text();
            }
        }
    }

    private static String get(String answer) throws IOException {
        return get(answer, Map.of());
    }

    @Test
    void readsBodiesOfAllThreeFramings() throws IOException {
        assertThat(get("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabcdef")).isEqualTo("200 abc");
        assertThat(get("HTTP/1.1 200\r\nTransfer-Encoding: chunked\r\n\r\n2;x=y\r\nab\r\n1\r\nc\r\n0\r\n\r\n"))
                .isEqualTo("200 abc");
        assertThat(get("HTTP/1.1 200 OK\r\n\r\nabc")).isEqualTo("200 abc");
        assertThat(get("HTTP/1.1 204 No Content\r\n\r\n")).isEqualTo("204 ");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "HTTP/1.1 200",
                "SSH-2.0-OpenSSH\r\n",
                "HTTP/1.1 abc\r\n\r\n",
                "HTTP/1.1 200 OK\r\nno colon\r\n\r\n",
                "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nabc",
                "HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\nabc",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nab\r\n0\r\n\r\n",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nabX\r\n0\r\n\r\n",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-2\r\nab\r\n0\r\n\r\n",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n"
            })
    void anAnswerThatIsCutOffOrNoHttpIsAnErrorAndNotAShortAnswer(String answer) {
        assertThatThrownBy(() -> get(answer)).isInstanceOf(IOException.class);
    }

    @Test
    void anEndlessLineDoesNotFillTheMemory() {
        assertThatThrownBy(() -> get("HTTP/1.1 200 OK\r\nX: " + "x".repeat(100_000)))
                .hasMessageContaining("line without end");
    }

    @Test
    void aHeaderCannotBecomeTwo() {
        assertThatThrownBy(() -> get("HTTP/1.1 204 \r\n\r\n", Map.of("Authorization", "Bearer x\r\nX-Evil: 1")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageNotContaining("Bearer");
    }
}
