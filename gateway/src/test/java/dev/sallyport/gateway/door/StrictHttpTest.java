package dev.sallyport.gateway.door;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** T22: a request that two readers could cut in different places is no request. */
@Timeout(60)
class StrictHttpTest {

    private static final String BODY = "{\"events\":[{\"n\":1,\"type\":\"turn\",\"data\":{\"n\":1}}]}";

    @TempDir
    Path base;

    private TestDoor door;
    private FakeOccupant child;
    private Path directory;

    @BeforeEach
    void open() throws IOException {
        door = TestDoor.in(base).start();
        child = door.child();
        directory = door.open(child);
    }

    @AfterEach
    void close() {
        door.close();
    }

    static Stream<Arguments> ambiguous() {
        String post = "POST /v1/events HTTP/1.1\r\n";
        String length = "Content-Length: " + BODY.length() + "\r\n";
        return Stream.of(
                Arguments.argumentSet(
                        "length and chunked",
                        post + "Host: door\r\n" + length + "Transfer-Encoding: chunked\r\n\r\n" + chunked()),
                Arguments.argumentSet(
                        "two lengths", post + "Host: door\r\n" + length + "Content-Length: 3\r\n\r\n" + BODY),
                Arguments.argumentSet(
                        "the same length twice", post + "Host: door\r\n" + length + length + "\r\n" + BODY),
                Arguments.argumentSet("list of lengths", post + "Host: door\r\nContent-Length: 3, 3\r\n\r\n" + BODY),
                Arguments.argumentSet(
                        "signed length", post + "Host: door\r\nContent-Length: +" + BODY.length() + "\r\n\r\n" + BODY),
                Arguments.argumentSet(
                        "chunked twice",
                        post + "Host: door\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n"
                                + chunked()),
                Arguments.argumentSet(
                        "chunked not last",
                        post + "Host: door\r\nTransfer-Encoding: chunked, identity\r\n\r\n" + chunked()),
                Arguments.argumentSet(
                        "unknown coding", post + "Host: door\r\nTransfer-Encoding: xchunked\r\n\r\n" + chunked()),
                Arguments.argumentSet("two hosts", post + "Host: door\r\nHost: other\r\n" + length + "\r\n" + BODY),
                Arguments.argumentSet("no host", post + length + "\r\n" + BODY),
                Arguments.argumentSet(
                        "folded header", post + "Host: door\r\nX-A: 1\r\n 2\r\n" + length + "\r\n" + BODY),
                Arguments.argumentSet(
                        "space before colon", post + "Host: door\r\nContent-Length : 3\r\n" + length + "\r\n" + BODY),
                Arguments.argumentSet("no colon", post + "Host: door\r\nX-A\r\n" + length + "\r\n" + BODY),
                Arguments.argumentSet(
                        "bare line feeds", (post + "Host: door\r\n" + length + "\r\n").replace("\r\n", "\n") + BODY),
                Arguments.argumentSet("NUL in a header", post + "Host: door\r\nX-A: a\0b\r\n" + length + "\r\n" + BODY),
                Arguments.argumentSet(
                        "carriage return in a header", post + "Host: door\r\nX-A: a\rb\r\n" + length + "\r\n" + BODY),
                Arguments.argumentSet("HTTP/0.9", "GET /v1/workspace\r\n\r\n"),
                Arguments.argumentSet("HTTP/2 preface", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
                Arguments.argumentSet(
                        "absolute target with another host",
                        "POST http://door/v1/events HTTP/1.1\r\nHost: other\r\n" + length + "\r\n" + BODY),
                Arguments.argumentSet("user in the host", post + "Host: a@door\r\n" + length + "\r\n" + BODY),
                Arguments.argumentSet(
                        "large headers",
                        post + "Host: door\r\nX-A: " + "a".repeat(20_000) + "\r\n" + length + "\r\n" + BODY));
    }

    private static String chunked() {
        return Integer.toHexString(BODY.length()) + "\r\n" + BODY + "\r\n0\r\n\r\n";
    }

    @ParameterizedTest
    @MethodSource("ambiguous")
    void refusesWhatCanBeReadTwoWaysAndHangsUp(String request) throws IOException {
        try (Wire wire = Wire.to(directory)) {
            wire.send(request);
            wire.send("GET /v1/workspace HTTP/1.1\r\nHost: door\r\n\r\n");

            String all = wire.rest();

            assertThat(all.substring(9, 12)).isIn("400", "426", "431", "505");
            assertThat(all.substring(12)).doesNotContain("HTTP/1.1 ");
            assertThat(child.reports).isEmpty();
        }
    }

    @Test
    void readsPlainAndChunkedBodies() throws IOException {
        assertThat(Wire.post(directory, "/v1/events", BODY).status()).isEqualTo(200);
        assertThat(Wire.ask(
                                directory,
                                "POST /v1/events HTTP/1.1\r\nHost: door\r\nTransfer-Encoding: chunked\r\n\r\n"
                                        + chunked())
                        .status())
                .isEqualTo(200);
    }

    @Test
    void judgesEveryRequestOfAConnectionByItself() throws IOException {
        try (Wire wire = Wire.to(directory)) {
            wire.send(Wire.request("POST", "/v1/events", BODY) + "GET /v1/asks HTTP/1.1\r\nHost: door\r\n\r\n"
                    + Wire.request("POST", "/v1/events", BODY));

            assertThat(wire.answer().status()).isEqualTo(200);
            assertThat(wire.answer().status()).isEqualTo(404);
            assertThat(wire.answer().status()).isEqualTo(200);
        }
    }

    /** Jetty skips empty lines before a request. Nothing is passed on from here, so nobody else can read them differently. */
    @Test
    void takesALeadingEmptyLineForNothingOrRefusesIt() throws IOException {
        Wire.Answer answer = Wire.ask(directory, "\r\n" + Wire.request("POST", "/v1/events", BODY));

        assertThat(answer.status()).isIn(200, 400);
        assertThat(child.reports).hasSizeLessThanOrEqualTo(1);
    }
}
