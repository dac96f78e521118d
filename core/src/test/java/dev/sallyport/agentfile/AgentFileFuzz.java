package dev.sallyport.agentfile;

import dev.sallyport.authority.ResolutionFuzz;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** An agent file of any bytes: read, written, read back, switched off and on, and resolved. */
public final class AgentFileFuzz {

    private AgentFileFuzz() {}

    /** Called by Jazzer and by {@link dev.sallyport.fuzz.FuzzTest}. */
    public static void fuzzerTestOneInput(byte[] input) {
        String text = new String(input, StandardCharsets.UTF_8);
        AgentFileText.disable(text);
        AgentFileText.enable(text);
        AgentFileText.isDisabled(text);
        AgentFileText.isEmptyStub(text);
        List<LoadWarning> warnings = new ArrayList<>();
        AgentDefinition definition = read(text, warnings);
        if (warnings.stream().map(LoadWarning::message).anyMatch(String::isBlank)) {
            throw new AssertionError("a warning that says nothing: " + warnings);
        }
        if (definition == null) {
            return;
        }
        String rendered = AgentFileText.render(definition, AgentFileText.Detail.ALL);
        AgentDefinition again = read(rendered, warnings);
        if (again == null || !AgentFileTextTest.fields(again).equals(AgentFileTextTest.fields(definition))) {
            throw new AssertionError("parse(render(definition)) is another definition: " + rendered);
        }
        ResolutionFuzz.resolve(definition, input.length);
    }

    private static AgentDefinition read(String text, List<LoadWarning> warnings) {
        try {
            return AgentFile.read("/agents/x.md", "x", text, AgentDefinition.Source.PROJECT, false, warnings);
        } catch (AgentFile.UnusableException expected) {
            return null;
        }
    }
}
