package dev.sallyport.runner.harness;

import dev.sallyport.runner.door.Assignment;
import dev.sallyport.runner.tool.Tool;
import dev.sallyport.runner.tool.ToolResult;
import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** A conversation with a model in the shape that its provider speaks. Pure: nothing is sent here. */
interface Dialogue {

    static Dialogue with(Assignment.Model model, String systemPrompt) {
        return switch (model.shape()) {
            case MESSAGES -> new MessagesDialogue(model.id(), systemPrompt, model.thinking());
            case CHAT -> new ChatDialogue(model.id(), systemPrompt, model.thinking());
        };
    }

    /** Where requests go at the door, after {@code /model/PROVIDER}. */
    String route();

    void user(String text);

    /** What the model said before, in another child. */
    void assistant(String text);

    void toolResult(ToolRequest request, ToolResult result);

    /** The request for the next turn. */
    ObjectNode request(List<Tool> tools);

    /**
     * Takes the model's answer into the conversation.
     *
     * @throws ModelException if it is not of the expected shape
     */
    Reply answer(JsonNode body) throws ModelException;
}
