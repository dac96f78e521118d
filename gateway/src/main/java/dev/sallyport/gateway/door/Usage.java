package dev.sallyport.gateway.door;

import tools.jackson.databind.JsonNode;

/** Reads what a provider counted out of its answer, whole or in pieces. Later counts of one answer replace earlier ones. */
final class Usage {

    private long input;
    private long output;
    private boolean complete;

    /**
     * Takes what is counted here, if anything.
     *
     * @param piece a whole answer or the data of one event of a stream, of either shape
     */
    void read(JsonNode piece) {
        JsonNode usage = piece.path("message").path("usage").isObject()
                ? piece.path("message").path("usage")
                : piece.path("usage");
        if (usage.has("prompt_tokens")) {
            input = count(usage, "prompt_tokens");
            output = count(usage, "completion_tokens");
        }
        if (usage.has("input_tokens")) {
            input = Math.max(
                    input,
                    count(usage, "input_tokens")
                            + count(usage, "cache_creation_input_tokens")
                            + count(usage, "cache_read_input_tokens"));
        }
        if (usage.has("output_tokens")) {
            output = Math.max(output, count(usage, "output_tokens"));
        }
    }

    void complete() {
        complete = true;
    }

    ModelUse of(String provider, String model) {
        return new ModelUse(provider, model, input, output, complete);
    }

    private static long count(JsonNode usage, String field) {
        return Math.max(0, usage.path(field).asLong(0));
    }
}
