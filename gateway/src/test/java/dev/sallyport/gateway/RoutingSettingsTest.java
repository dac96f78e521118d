package dev.sallyport.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.sallyport.gateway.GatewayProperties.Routing;
import dev.sallyport.gateway.routing.SelectorSettings;
import dev.sallyport.model.Model;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;

class RoutingSettingsTest {

    private static final Map<String, String> SELECTOR = Map.of(
            "kind", "selector",
            "url", "https://s.example/select",
            "candidates[0].model", "acme/fast",
            "candidates[0].description", "quick and cheap");

    @Test
    void aSelectorNeedsAUrlAndCandidates() {
        SelectorSettings settings = selector(SELECTOR, null);

        assertThat(settings.candidates()).containsExactly(Map.entry(Model.parse("acme/fast"), "quick and cheap"));
        assertThat(settings.credential()).isEqualTo("selector");
        assertThat(settings.defaultOnFailure()).isFalse();
        refuses(Map.of("kind", "selector", "url", "https://s.example/"), "candidates");
        refuses(Map.of("kind", "selector"), "url");
    }

    @ParameterizedTest // P12
    @ValueSource(strings = {"apiKeyEnv", "api-key-env", "apiKey", "api-key"})
    void aKeyInAFileOrTheEnvironmentIsRefusedWithWhatToDo(String name) {
        for (Map<String, String> base : java.util.List.of(SELECTOR, Map.<String, String>of())) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> read(with(base, name, "planted-key"), null))
                    .withMessageContaining("sallyport credentials set selector")
                    .withMessageNotContaining("planted-key");
        }
    }

    @Test
    void theDefaultStandsInOnlyWhereThereIsOne() {
        Map<String, String> settings = with(SELECTOR, "on-failure", "default");

        refuses(settings, "a default model");
        assertThat(selector(settings, Model.parse("acme/fast")).defaultOnFailure())
                .isTrue();
    }

    @Test
    void aCandidateIsOfAConfiguredProviderDescribedAndNamedOnce() {
        refuses(with(SELECTOR, "candidates[0].model", "elsewhere/fast"), "a configured provider");
        refuses(with(SELECTOR, "candidates[0].model", "fast"), "provider/id");
        refuses(with(SELECTOR, "candidates[0].description", " "), "a description");
        Map<String, String> twice = new HashMap<>(SELECTOR);
        twice.put("candidates[1].model", "acme/fast");
        twice.put("candidates[1].description", "again");
        refuses(twice, "twice");
    }

    @Test
    void whatBelongsToASelectorIsRefusedWhereThereIsNone() {
        refuses(Map.of("url", "https://s.example/"), "kind selector");
        assertThat(read(Map.of(), null)).isNotNull();
    }

    @Test
    void settingsShowNeitherUrlNorKey() {
        assertThat(bound(with(SELECTOR, "apiKey", "planted-key")).toString())
                .doesNotContain("planted-key", "s.example");
        assertThat(selector(SELECTOR, null).toString()).doesNotContain("s.example");
    }

    private static void refuses(Map<String, String> settings, String expected) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> read(settings, null))
                .withMessageContaining(expected)
                .withMessageNotContaining("s.example");
    }

    private static SelectorSettings selector(Map<String, String> settings, Model defaultModel) {
        return (SelectorSettings) read(settings, defaultModel);
    }

    private static Object read(Map<String, String> settings, Model defaultModel) {
        Routing routing = bound(settings);
        return routing.kind() == Routing.Kind.STATIC
                ? RoutingSettings.fixed(routing)
                : RoutingSettings.selector(routing, defaultModel, Set.of("acme"));
    }

    private static Routing bound(Map<String, String> settings) {
        return new Binder(new MapConfigurationPropertySource(settings)).bindOrCreate("", Routing.class);
    }

    private static Map<String, String> with(Map<String, String> base, String name, String value) {
        Map<String, String> settings = new HashMap<>(base);
        settings.put(name, value);
        return settings;
    }
}
