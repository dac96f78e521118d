package dev.sallyport.gateway;

import dev.sallyport.gateway.GatewayProperties.Routing;
import dev.sallyport.gateway.routing.SelectorSettings;
import dev.sallyport.gateway.routing.SelectorUrl;
import dev.sallyport.gateway.routing.StaticRouter;
import dev.sallyport.model.Model;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads {@code sallyport.gateway.routing}. No message repeats a URL or a key. */
final class RoutingSettings {

    private static final String NAME = "sallyport.gateway.routing";

    private RoutingSettings() {}

    static StaticRouter fixed(Routing routing) {
        requireNoKey(routing);
        if (routing.url() != null || !routing.candidates().isEmpty()) {
            throw new IllegalArgumentException(NAME
                    + ": url and candidates belong to kind `selector` (expected: kind selector, or neither of them)");
        }
        return new StaticRouter();
    }

    /**
     * How the selector is asked.
     *
     * @param defaultModel of the operator; null if there is none
     * @param providers that are configured
     */
    static SelectorSettings selector(Routing routing, @Nullable Model defaultModel, Set<String> providers) {
        requireNoKey(routing);
        boolean defaultOnFailure = routing.onFailure() == Routing.OnFailure.DEFAULT;
        if (defaultOnFailure && defaultModel == null) {
            throw new IllegalArgumentException(
                    NAME + ".on-failure: default (expected: a default model in the operator's policy, or refuse)");
        }
        String url = routing.url();
        if (url == null) {
            throw new IllegalArgumentException(NAME + ".url (expected: where the selector listens)");
        }
        return new SelectorSettings(
                SelectorUrl.parse(url),
                routing.credential(),
                candidates(routing, providers),
                routing.timeout(),
                Math.toIntExact(routing.responseLimit().toBytes()),
                defaultOnFailure);
    }

    private static Map<Model, String> candidates(Routing routing, Set<String> providers) {
        Map<Model, String> candidates = new LinkedHashMap<>();
        for (Routing.Candidate candidate : routing.candidates()) {
            Model model = Model.parse(candidate.model() == null ? "" : candidate.model());
            if (!model.scripted() && !providers.contains(model.provider())) {
                throw new IllegalArgumentException(
                        "%s.candidates: `%s` (expected: a configured provider)".formatted(NAME, model));
            }
            String description = candidate.description() == null ? "" : candidate.description();
            if (candidates.put(model, description) != null) {
                throw new IllegalArgumentException("%s.candidates: `%s` twice".formatted(NAME, model));
            }
        }
        return candidates;
    }

    /** A key that was there has been in a file or an environment that others may have read. */
    private static void requireNoKey(Routing routing) {
        if (routing.apiKey() != null || routing.apiKeyEnv() != null) {
            throw new IllegalArgumentException("""
                %s.apiKey and apiKeyEnv are not read: a key is kept neither in a file nor in the environment. Replace it at \
                the service, store the new one with `sallyport credentials set %s`, and remove the setting\
                """.formatted(NAME, routing.credential()));
        }
    }
}
