package dev.sallyport.gateway.routing;

import dev.sallyport.model.Model;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * How the operator's selector is asked.
 *
 * @param credential name of its key
 * @param candidates what it may choose, each described for it
 * @param timeout for the whole of one question
 * @param responseLimit in bytes
 * @param defaultOnFailure whether the default model runs where it fails; otherwise nothing does
 */
public record SelectorSettings(
        SelectorUrl url,
        String credential,
        Map<Model, String> candidates,
        Duration timeout,
        int responseLimit,
        boolean defaultOnFailure) {

    public SelectorSettings {
        candidates = Collections.unmodifiableMap(new LinkedHashMap<>(candidates));
        if (candidates.isEmpty()) {
            throw new IllegalArgumentException("sallyport.gateway.routing.candidates: none (expected: at least one)");
        }
        candidates.forEach((model, description) -> {
            if (description.isBlank()) {
                throw new IllegalArgumentException(
                        "sallyport.gateway.routing.candidates: `%s` (expected: a description)".formatted(model));
            }
        });
        if (!timeout.isPositive() || responseLimit < 1) {
            throw new IllegalArgumentException(
                    "sallyport.gateway.routing: timeout %s, response limit %d (expected: > 0)"
                            .formatted(timeout, responseLimit));
        }
    }

    List<Model> models() {
        return List.copyOf(candidates.keySet());
    }

    String description(Model model) {
        return Objects.requireNonNull(candidates.get(model));
    }
}
