package dev.sallyport.gateway.door;

import dev.sallyport.model.Price;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** Reads what a provider counted out of its answer, whole or in pieces. Later counts of one answer replace earlier ones. */
final class Usage {

    /** More than any answer uses, and few enough that sums of them are numbers. */
    private static final long MOST = 1L << 40;

    private long input;
    private long cacheRead;
    private long cacheWrite;
    private long output;
    private boolean counted;
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
            // This shape counts what it read from its cache twice.
            long all = count(usage, "prompt_tokens");
            cacheRead = Math.min(all, count(usage.path("prompt_tokens_details"), "cached_tokens"));
            input = all - cacheRead;
            output = count(usage, "completion_tokens");
            counted = true;
        }
        if (usage.has("input_tokens")) {
            input = Math.max(input, count(usage, "input_tokens"));
            cacheWrite = Math.max(cacheWrite, count(usage, "cache_creation_input_tokens"));
            cacheRead = Math.max(cacheRead, count(usage, "cache_read_input_tokens"));
            counted = true;
        }
        if (usage.has("output_tokens")) {
            output = Math.max(output, count(usage, "output_tokens"));
            counted = true;
        }
    }

    void complete() {
        complete = true;
    }

    /** @param price null where none is known */
    ModelUse of(String provider, String model, @Nullable Price price) {
        return new ModelUse(
                provider,
                model,
                input + cacheRead + cacheWrite,
                output,
                price == null || !counted ? null : price.of(input, output, cacheRead, cacheWrite),
                complete);
    }

    private static long count(JsonNode usage, String field) {
        return Math.clamp(usage.path(field).asLong(0), 0, MOST);
    }
}
