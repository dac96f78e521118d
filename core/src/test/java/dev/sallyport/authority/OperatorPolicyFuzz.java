package dev.sallyport.authority;

import java.nio.charset.StandardCharsets;

/** A {@code sallyport.yaml} of any bytes. */
public final class OperatorPolicyFuzz {

    private OperatorPolicyFuzz() {}

    /** Called by Jazzer and by {@link dev.sallyport.fuzz.FuzzTest}. */
    public static void fuzzerTestOneInput(byte[] input) {
        try {
            OperatorPolicyFile.parse("/sallyport.yaml", new String(input, StandardCharsets.UTF_8));
        } catch (OperatorPolicyFile.MalformedPolicyException expected) {
            if (!String.valueOf(expected.getMessage()).startsWith("/sallyport.yaml:")) {
                throw new AssertionError("does not say where: " + expected.getMessage(), expected);
            }
        }
    }
}
