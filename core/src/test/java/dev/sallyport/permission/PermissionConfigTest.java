package dev.sallyport.permission;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.json.StrictJson;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class PermissionConfigTest {

    static Stream<Arguments> mistakes() {
        return Stream.of(
                Arguments.of("[]", "permission: not a map of surfaces"),
                Arguments.of("\"deny\"", "permission: not a map of surfaces"),
                Arguments.of(
                        "{\"bash\":\"Deny\"}", "permission.bash: unknown state `Deny` (use one of allow, ask, deny)"),
                Arguments.of("{\"bash\":true}", "permission.bash: neither a state nor a map of patterns"),
                Arguments.of("{\"\":\"deny\"}", "permission.: a surface without a name"),
                Arguments.of("{\"bash\":{\"\":\"deny\"}}", "permission.bash.: an empty pattern"),
                Arguments.of("{\"bash\":{\"rm *\":\"dney\"}}", "permission.bash.rm *: unknown state `dney`"),
                Arguments.of(
                        "{\"bash\":{\"rm *\":{\"action\":\"ask\"}}}",
                        "permission.bash.rm *: an object that does not deny"),
                Arguments.of(
                        "{\"bash\":{\"rm *\":{\"action\":\"deny\",\"note\":\"x\"}}}",
                        "permission.bash.rm *: unknown key `note`"),
                Arguments.of(
                        "{\"bash\":{\"rm *\":{\"action\":\"deny\",\"reason\":3}}}",
                        "permission.bash.rm *: a reason that is no text"),
                Arguments.of(
                        "{\"bash\":{\"action\":\"deny\"}}",
                        "permission.bash: `action` here is a pattern, not an order (write `bash: deny`"),
                Arguments.of(
                        "{\"bash\":{\"action\":\"deny\",\"reason\":\"x\"}}",
                        "permission.bash: `action` here is a pattern"));
    }

    @ParameterizedTest
    @MethodSource("mistakes")
    void asksAboutEverythingAndSaysWhatToDo(String json, String problem) {
        PermissionConfig.Parsed parsed = PermissionConfig.parse(StrictJson.parse(json));

        assertThat(parsed.config()).isEqualTo(PermissionConfig.ASK_ALL);
        assertThat(parsed.problems()).first().asString().startsWith(problem);
    }

    @Test
    void reportsEveryMistakeAtOnce() {
        assertThat(PermissionConfig.parse(StrictJson.parse("{\"a\":\"x\",\"b\":{\"c\":\"y\"},\"d\":\"ask\"}"))
                        .problems())
                .hasSize(2);
    }

    @Test
    void keepsTheOrderThatDecidesThroughCanonicalJson() {
        String json =
                "{\"z\":\"ask\",\"bash\":{\"git *\":\"allow\",\"*\":{\"action\":\"deny\",\"reason\":\"no\"},\"a\":\"ask\"}}";
        PermissionConfig config = PermissionConfig.parse(StrictJson.parse(json)).config();

        PermissionConfig stored = PermissionConfig.fromOrderedJson(
                (java.util.List<?>) StrictJson.parse(dev.sallyport.json.CanonicalJson.write(config.toOrderedJson())));

        assertThat(stored.surfaces().keySet()).containsExactly("z", "bash");
        assertThat(((PermissionConfig.Surface.Patterns) stored.surfaces().get("bash"))
                        .entries()
                        .keySet())
                .containsExactly("git *", "*", "a");
        assertThat(stored).isEqualTo(config);
    }
}
