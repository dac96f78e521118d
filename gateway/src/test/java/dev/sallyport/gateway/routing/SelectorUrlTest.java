package dev.sallyport.gateway.routing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** R-14.7. */
class SelectorUrlTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "https://s.example",
                "HTTPS://s.example:8443/v1/select",
                "https://203.0.113.9/",
                "https://s.example/a%20b"
            })
    void anAbsoluteHttpsUrlIsTaken(String url) {
        assertThat(SelectorUrl.parse(url).uri()).hasToString(url);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "s.example",
                "/select",
                "//s.example/",
                "http://s.example/",
                "http://127.0.0.1/",
                "http://localhost:8080/",
                "ftp://s.example/",
                "file:///etc/passwd",
                "https:",
                "https:///path",
                "https:s.example",
                "https://",
                "https://:443/",
                "https://user@s.example/",
                "https://user:password@s.example/",
                "https://@s.example/",
                "https://s.example/?q=1",
                "https://s.example/?",
                "https://s.example/#part",
                "https://s.example/#",
                "https://s.example/a b",
                " https://s.example/",
                "https://s.example/\n",
                "https://s.example/\t",
                "https://s.example/\u0000",
                "https://s.example/\u007f",
                "https://s.example/\u0085",
                "https://s.example/\u00a0",
                "https://s.example/\u2028",
                "https://s.example:0/",
                "https://s.example:65536/",
                "https://s.example\\@other.example/"
            })
    void nothingElseIsTakenAndNoMessageRepeatsIt(String url) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> SelectorUrl.parse(url))
                .withNoCause()
                .withMessageStartingWith("sallyport.gateway.routing.url (expected: ")
                .withMessageNotContaining("example");
    }

    @Test
    void itIsAtMost2048CharactersLong() {
        String longest = "https://s.example/" + "a".repeat(2048 - 18);

        assertThat(SelectorUrl.parse(longest).uri()).hasToString(longest);
        assertThatIllegalArgumentException().isThrownBy(() -> SelectorUrl.parse(longest + "a"));
    }

    @Test // R-14.8
    void itIsNotShown() {
        assertThat(SelectorUrl.parse("https://s.example/")).hasToString("[selector]");
    }
}
