package dev.sallyport.authority;

import dev.sallyport.agentfile.AgentDefinition;
import dev.sallyport.agentfile.AgentRegistry;
import dev.sallyport.invocation.SpawnCall;
import java.util.List;

/** What an agent file becomes; what is stored and shown of it is no multiple of what was read (T65). */
public final class ResolutionFuzz {

    // A character may be six in JSON, and a value stands in the authority, among its fields and as a loser.
    private static final int GROWTH = 32;
    private static final int FIXED = 32_768;

    private ResolutionFuzz() {}

    /** Resolves a spawn of this agent and stores it. */
    public static void resolve(AgentDefinition definition, int size) {
        Outcome outcome = Requests.ordinary()
                .registry(AgentRegistry.of(List.of(definition)))
                .resolve(SpawnCall.builder(definition.name()).hasDirectory(true).build());
        bounded("explanation", outcome.explanation().render(), size);
        if (outcome instanceof Outcome.Granted granted) {
            String json = granted.authority().toJson();
            bounded("authority", json, size);
            if (!Authority.fromJson(json).digest().equals(granted.authority().digest())) {
                throw new AssertionError("an authority that is not what was stored: " + json);
            }
        }
    }

    private static void bounded(String what, String text, int size) {
        if (text.length() > FIXED + GROWTH * size) {
            throw new AssertionError("%s of %d characters from %d bytes".formatted(what, text.length(), size));
        }
    }
}
