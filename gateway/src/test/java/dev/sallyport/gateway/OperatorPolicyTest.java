package dev.sallyport.gateway;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.authority.OperatorPolicyFile;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** What the operator writes and nothing acts on stops the start. */
class OperatorPolicyTest {

    @Test
    void aSwitchThatWouldChangeNothingStopsTheStart() {
        assertThatThrownBy(() -> start("compatibility: [follow-links, no-veto-without-extensions]\n"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("sallyport.yaml: compatibility: no-veto-without-extensions: ");
    }

    @Test
    void whatIsHonouredDoesNot() {
        assertThatCode(() -> start(
                        "compatibility: [any-agent-name, duplicate-names, follow-links, fall-back-to-general-purpose,"
                                + " project-models-replace, memory-adds-tools, plain-tools-bypass-selectors,"
                                + " shared-tool-names, late-tools-visible]\n"
                                + "ceilings: { credentials: [github] }\nbudgets: { tokens: 5 }\n"))
                .doesNotThrowAnyException();
    }

    private static void start(String text) throws OperatorPolicyFile.MalformedPolicyException {
        GatewayConfiguration.requireHonoured(
                Path.of("sallyport.yaml"), OperatorPolicyFile.parse("sallyport.yaml", "version: 1\n" + text));
    }
}
