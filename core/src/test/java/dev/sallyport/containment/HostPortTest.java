package dev.sallyport.containment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class HostPortTest {

    @ParameterizedTest
    @CsvSource({
        "example.com, example.com:443",
        "EXAMPLE.com., example.com:443",
        "example.com.:8443, example.com:8443",
        "bücher.example, xn--bcher-kva.example:443",
        "BÜCHER.example:80, xn--bcher-kva.example:80",
        "ｅxample.com, example.com:443",
        "example。com, example.com:443",
        "a-b.c1:1, a-b.c1:1",
        "1password.com, 1password.com:443",
        "localhost, localhost:443"
    })
    void hasOneForm(String text, String canonical) {
        assertThat(HostPort.parse(text)).hasToString(canonical);
    }

    // T01: one trailing dot is the same name, two are none.
    @Test
    void takesTheDottedNameForTheSame() {
        assertThat(HostPort.parse("secret.example.com.:443")).isEqualTo(HostPort.parse("secret.example.com"));
        assertThatIllegalArgumentException().isThrownBy(() -> HostPort.parse("secret.example.com..:443"));
    }

    // T02
    @ParameterizedTest
    @ValueSource(
            strings = {
                "evil.test\0.google.com",
                "evil.test%00.google.com",
                "evil.test\r\n.google.com",
                "evil.test .google.com",
                " example.com",
                "example.com\t",
                "example.com\n",
                "user@example.com",
                "example.com/x",
                "example.com?x",
                "example.com#x",
                "example.com\\x",
                "exam\u200bple.com.\u202e",
                "http://example.com",
                "under_score.example.com"
            })
    void refusesWhatIsNoName(String text) {
        assertThatIllegalArgumentException().isThrownBy(() -> HostPort.parse(text));
    }

    // T03
    @ParameterizedTest
    @ValueSource(
            strings = {
                "93.184.216.34",
                "93.184.216.34.",
                "2130706433",
                "0x7f000001",
                "0X7F000001",
                "0177.0.0.1",
                "127.1",
                "1.2.3.0x4",
                "example.0",
                "[::ffff:127.0.0.1]",
                "[::1]:443",
                "::1",
                "64:ff9b::7f00:1",
                "0.0.0.0",
                "１２７.0.0.1",
                "127。0。0。1",
                "①②⑦.0.0.1"
            })
    void refusesAddressesInEveryNotation(String text) {
        assertThatIllegalArgumentException().isThrownBy(() -> HostPort.parse(text));
    }

    // T20
    @ParameterizedTest
    @ValueSource(strings = {"*", "*.com", "*.example.com", "a*.test", "", ".", ".com", "a..b", "-a.test", "a-.test"})
    void refusesPatternsAndHoles(String text) {
        assertThatIllegalArgumentException().isThrownBy(() -> HostPort.parse(text));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "a.test:",
                "a.test:0",
                "a.test:65536",
                "a.test:-1",
                "a.test:+1",
                "a.test:1:2",
                "a.test:443x",
                "a.test:１"
            })
    void refusesPortsThatAreNone(String text) {
        assertThatIllegalArgumentException().isThrownBy(() -> HostPort.parse(text));
    }

    @Test
    void refusesNamesTooLong() {
        assertThatIllegalArgumentException().isThrownBy(() -> HostPort.parse("a".repeat(64) + ".test"));
        assertThatIllegalArgumentException().isThrownBy(() -> HostPort.parse("abcdefg.".repeat(32) + "test"));
    }

    @Test
    void isBuiltFromTheCanonicalFormOnly() {
        assertThatIllegalArgumentException().isThrownBy(() -> new HostPort("Example.com", 443));
        assertThatIllegalArgumentException().isThrownBy(() -> new HostPort("example.com.", 443));
    }
}
