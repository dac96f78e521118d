package dev.sallyport.gateway.child;

import java.util.List;
import tools.jackson.databind.JsonNode;

/** What a runner says an extension offers from then on (S4). */
record Offer(String extension, List<String> tools) {

    Offer {
        tools = List.copyOf(tools);
    }

    /** From a report whose form was checked at the door. */
    static Offer of(JsonNode report) {
        return new Offer(
                report.path("extension").stringValue(),
                report.path("tools").valueStream().map(JsonNode::stringValue).toList());
    }
}
