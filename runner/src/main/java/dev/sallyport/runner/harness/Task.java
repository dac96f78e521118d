package dev.sallyport.runner.harness;

import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.JsonNode;

/**
 * What a child is to do.
 *
 * @param prompt empty where there is none
 * @param history what was said before, in a child that this one goes on with; empty for one that begins
 */
public record Task(String prompt, List<Said> history) {

    /**
     * Part of a conversation.
     *
     * @param own whether the model said it; anything else is said to it
     */
    record Said(boolean own, String text) {}

    public Task {
        history = List.copyOf(history);
    }

    static Task of(JsonNode data) {
        List<Said> history = new ArrayList<>();
        for (JsonNode said : data.path("history")) {
            history.add(new Said(
                    said.path("role").asString("").equals("assistant"),
                    said.path("text").asString("")));
        }
        return new Task(data.path("prompt").asString(""), history);
    }
}
