package dev.sallyport.gateway.door;

import dev.sallyport.model.Model;
import dev.sallyport.model.Price;
import java.net.URI;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Who answers at {@code /model/<name>}, and with which key.
 *
 * @param baseUrl what stands before {@code /v1/…}
 * @param credential name of the key
 * @param betas feature names that a child may ask for in {@code anthropic-beta}; each is an exposure (S17)
 * @param plaintextLoopback lets {@code baseUrl} be plain HTTP to this machine
 * @param prices by model id; a model that is not there has no known price
 */
public record Provider(
        String name,
        URI baseUrl,
        ModelShape shape,
        String credential,
        Set<String> betas,
        boolean plaintextLoopback,
        Map<String, Price> prices) {

    private static final Pattern NAME = Pattern.compile("[a-z0-9][a-z0-9-]{0,39}");
    private static final Set<String> LOOPBACK = Set.of("127.0.0.1", "[::1]", "localhost");

    public Provider {
        betas = Set.copyOf(betas);
        prices = Map.copyOf(prices);
        if (!NAME.matcher(name).matches() || name.equals(ScriptedModels.PROVIDER)) {
            throw new IllegalArgumentException("provider: `%s` (expected: up to 40 of a-z, 0-9 and -, not %s)"
                    .formatted(name, ScriptedModels.PROVIDER));
        }
        if (baseUrl.getHost() == null
                || baseUrl.getRawQuery() != null
                || baseUrl.getRawFragment() != null
                || baseUrl.getRawUserInfo() != null) {
            throw new IllegalArgumentException(
                    "provider %s: base URL (expected: scheme, host, optional port and path)".formatted(name));
        }
        if (!isSecure(baseUrl.getScheme(), baseUrl.getHost(), plaintextLoopback)) {
            throw new IllegalArgumentException("provider %s: base URL `%s` (expected: https)".formatted(name, baseUrl));
        }
    }

    public static Provider anthropic() {
        return new Provider(
                "anthropic",
                URI.create("https://api.anthropic.com"),
                ModelShape.MESSAGES,
                "anthropic",
                Set.of(),
                false,
                Map.of());
    }

    public static Provider openai() {
        return new Provider(
                "openai", URI.create("https://api.openai.com"), ModelShape.CHAT, "openai", Set.of(), false, Map.of());
    }

    /** The same with those of these prices that are of its models. */
    public Provider priced(Map<Model, Price> all) {
        Map<String, Price> own = new HashMap<>();
        all.forEach((model, price) -> {
            if (model.provider().equals(name)) {
                own.put(model.id(), price);
            }
        });
        return new Provider(name, baseUrl, shape, credential, betas, plaintextLoopback, own);
    }

    @Nullable Price price(String model) {
        return prices.get(model);
    }

    URI at(String path) {
        String base = baseUrl.toString();
        return URI.create((base.endsWith("/") ? base.substring(0, base.length() - 1) : base) + path);
    }

    private static boolean isSecure(@Nullable String scheme, String host, boolean plaintextLoopback) {
        return switch (scheme == null ? "" : scheme.toLowerCase(Locale.ROOT)) {
            case "https" -> true;
            case "http" -> plaintextLoopback && LOOPBACK.contains(host);
            default -> false;
        };
    }
}
