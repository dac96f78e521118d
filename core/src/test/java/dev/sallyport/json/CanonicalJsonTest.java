package dev.sallyport.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class CanonicalJsonTest {

    @Test
    void sortsKeysByCodeUnitAndDropsSpace() {
        // RFC 8785 3.2.3: the last two would change places if sorted by code point.
        String json = "{ \"\\ufb33\": 3, \"b\": [ true , null ], \"a\": { }, \"\\ud83d\\ude02\": 2 }";

        assertThat(CanonicalJson.canonicalize(json))
                .isEqualTo("{\"a\":{},\"b\":[true,null],\"\ud83d\ude02\":2,\"\ufb33\":3}");
    }

    @ParameterizedTest
    @CsvSource({
        "0, 0",
        "-0, 0",
        "-0.0, 0",
        "1, 1",
        "1.0, 1",
        "10e1, 100",
        "9007199254740992, 9007199254740992",
        "4.50, 4.5",
        "0.000001, 0.000001",
        "0.0000001, 1e-7",
        "1.5e-10, 1.5e-10",
        "5e-324, 5e-324",
        "1e-323, 1e-323",
        "2e-3, 0.002",
        "-333333333.3333333, -333333333.3333333",
        "123456789012345.6, 123456789012345.6"
    })
    void writesNumbersAsEcmaScriptDoes(String json, String canonical) {
        assertThat(CanonicalJson.canonicalize(json)).isEqualTo(canonical);
    }

    @Test
    void writesLargeDoublesWithAnExponentFrom1e21On() {
        assertThat(CanonicalJson.write(1e20)).isEqualTo("100000000000000000000");
        assertThat(CanonicalJson.write(1e21)).isEqualTo("1e+21");
        assertThat(CanonicalJson.write(1.7976931348623157e308)).isEqualTo("1.7976931348623157e+308");
    }

    @Test
    void escapesOnlyWhatItMust() {
        assertThat(CanonicalJson.canonicalize("\"\\u20ac$\\u000f\\u000aA'\\u0042\\u0022\\u005c\\\\\\\"\\/\\u007f\""))
                .isEqualTo("\"€$\\u000f\\nA'B\\\"\\\\\\\\\\\"/\u007f\"");
    }

    static Stream<String> ambiguous() {
        return Stream.of(
                "{\"a\":1,\"a\":2}",
                "{\"a\":1,\"\\u0061\":2}",
                "{\"x\":{\"a\":1,\"a\":1}}",
                "\"\\ud800\"",
                "\"\\udc00\\ud800\"",
                "{\"\\ud800\":1}",
                "9007199254740993",
                "-9007199254740993",
                "1e16",
                "1e400",
                "1e999999999",
                "123456789012345678901234567890",
                "NaN",
                "Infinity",
                "01",
                "1 2",
                "{} []",
                "",
                " ",
                "{",
                "[1,]",
                "'a'",
                "// c\n1",
                "\"\u0001\"",
                "[".repeat(200) + "]".repeat(200));
    }

    @ParameterizedTest
    @MethodSource("ambiguous")
    void refusesWhatTwoReadersCouldReadDifferently(String json) {
        assertThatIllegalArgumentException().isThrownBy(() -> CanonicalJson.canonicalize(json));
    }

    @ParameterizedTest
    @ValueSource(strings = {"{\"a\":\"é\"}", "{\"a\":\"e\u0301\"}"})
    void normalisesNoUnicode(String json) {
        assertThat(CanonicalJson.canonicalize(json)).isEqualTo(json);
    }

    @Test
    void namesThePlaceOfAProblemAndNotTheContent() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> StrictJson.parse("{\n \"secret-value\": 1,\n \"secret-value\" 2}"))
                .withMessageContaining("line 3")
                .withMessageNotContaining("secret-value");
    }
}
