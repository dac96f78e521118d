package dev.sallyport.runner.harness;

import tools.jackson.databind.JsonNode;

/**
 * One call that the model wants made.
 *
 * @param id the model's own, unchecked
 * @param arguments missing if the model did not write JSON
 */
record ToolRequest(String id, String tool, JsonNode arguments) {}
