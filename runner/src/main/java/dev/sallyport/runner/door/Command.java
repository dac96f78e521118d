package dev.sallyport.runner.door;

import tools.jackson.databind.JsonNode;

/** One message of the gateway on the control stream. */
public record Command(String type, JsonNode data) {}
