package dev.sallyport.agentfile;

import java.nio.charset.StandardCharsets;

/** A {@code subagents.json} of any bytes. */
public final class ProfilesFuzz {

    private ProfilesFuzz() {}

    /** Called by Jazzer and by {@link dev.sallyport.fuzz.FuzzTest}. */
    public static void fuzzerTestOneInput(byte[] input) {
        Profiles profiles =
                Profiles.parse("/agent/subagents.json", new String(input, StandardCharsets.UTF_8), Profiles.BUILT_IN);
        Profiles builtIn = Profiles.BUILT_IN;
        for (String name : new String[] {"none", "read-only", "read-only-with-safe-bash", "full-tools", "explore"}) {
            if (!profiles.find(name).equals(builtIn.find(name))) {
                throw new AssertionError("a file redefines profile " + name);
            }
        }
    }
}
