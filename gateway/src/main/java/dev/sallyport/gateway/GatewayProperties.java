package dev.sallyport.gateway;

import dev.sallyport.gateway.door.ModelShape;
import jakarta.validation.Valid;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.NotBlank;
import jakarta.validation.constraints.NotNull;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.hibernate.validator.constraints.time.DurationMin;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;
import org.springframework.validation.annotation.Validated;

/**
 * How this gateway runs children. What has no default here has no safe one.
 *
 * @param image id of the image that every child runs, {@code sha256:…} (S36)
 * @param dataDirectory for bundles on their way and for salvaged work
 * @param doorDirectory parent of every child's socket directory; short, because a socket's path is (S9)
 * @param agentDirectory the user's agents and policies
 * @param workspaceRoots the only places whose directories children may be given
 * @param reserved where this installation keeps its secrets; never a workspace, nor inside one
 * @param credentialKey base64 of the 32 bytes that stored credentials are encrypted with
 * @param permissionService where it listens
 * @param scripts of scripted models; without one there are none
 * @param uids the range that children run as; nothing else on this host may use it (S7)
 * @param active children that live at a time, of all gateways on one database; the next are queued
 * @param patience how long what does not answer is waited for
 * @param events what one child may report (S4)
 * @param steersPerMinute messages that one child is sent; the next is refused with 429
 * @param retention how long a child that is over is kept, with its conversation; its branch stays
 * @param tool what a runner allows one tool call
 * @param policy {@code sallyport.yaml}, the most that any child may have; null for the defaults
 * @param providers of models, by name, beside those that come with the program
 * @param scopeModels whether {@code enabledModels} in the user's and a project's settings.json count (authority.md 5.7)
 * @param routing who chooses a child's model
 */
@Validated
// A setting that means nothing is refused: somebody believes that it holds.
@ConfigurationProperties(value = "sallyport.gateway", ignoreUnknownFields = false)
record GatewayProperties(
        @NotBlank String image,
        @NotNull Path dataDirectory,
        @DefaultValue("/run/sallyport") Path doorDirectory,
        @NotNull Path agentDirectory,
        @DefaultValue List<Path> workspaceRoots,
        @DefaultValue List<Path> reserved,
        @NotBlank String credentialKey,
        @DefaultValue("http://127.0.0.1:7072") URI permissionService,
        @Nullable Path scripts,
        @DefaultValue Uids uids,
        @DefaultValue("16") @Min(1) int active,
        @DefaultValue Patience patience,
        @DefaultValue @Valid Events events,
        @DefaultValue("30") @Min(1) @Max(600) int steersPerMinute,
        @DefaultValue("30d") @DurationMin(hours = 1) Duration retention,
        @DefaultValue Tool tool,
        @Nullable Path policy,
        @DefaultValue Map<String, ProviderProperties> providers,
        @DefaultValue("false") boolean scopeModels,
        @DefaultValue Routing routing) {

    record Uids(
            @DefaultValue("20000") int first,
            @DefaultValue("29999") int last) {

        Uids {
            if (first < 1000 || last < first) {
                throw new IllegalArgumentException(
                        "uids: %d to %d (expected: 1000 or more, ascending)".formatted(first, last));
            }
        }
    }

    /**
     * @param prepare one child
     * @param engine the sandbox backend, before children are given up as lost
     * @param permissionService before calls are answered {@code unavailable}
     */
    record Patience(
            @DefaultValue("2m") Duration prepare,
            @DefaultValue("2m") Duration engine,
            @DefaultValue("2m") Duration permissionService) {}

    /** @param size of one event; a larger one is cut */
    record Events(
            @DefaultValue("64KB") DataSize size,
            @DefaultValue("200") @Min(1) int perSecond,
            @DefaultValue("100000") long total,
            @DefaultValue("64MB") DataSize totalSize) {}

    record Tool(
            @DefaultValue("2m") Duration timeout,
            @DefaultValue("50KB") DataSize output) {}

    /**
     * @param baseUrl and {@code shape}: may be left out for a provider that comes with the program
     * @param credential name of the key; the provider's own name by default
     * @param plaintextLoopback lets the URL be plain HTTP to this machine
     */
    record ProviderProperties(
            @Nullable URI baseUrl,
            @Nullable ModelShape shape,
            @Nullable String credential,
            @DefaultValue Set<String> betas,
            @DefaultValue("false") boolean plaintextLoopback) {}

    /**
     * What is wrong with it is said where the router is made: an error of binding would show values.
     *
     * @param url of the selector; null for kind {@code static}
     * @param credential name of the selector's key
     * @param candidates models that the selector may choose
     * @param timeout of one question
     * @param responseLimit of one answer
     * @param onFailure what happens where the selector fails
     * @param apiKey and {@code apiKeyEnv}: where another system has the key; always refused
     */
    record Routing(
            @DefaultValue("static") Kind kind,
            @Nullable String url,
            @DefaultValue("selector") String credential,
            @DefaultValue List<Candidate> candidates,
            @DefaultValue("5s") Duration timeout,
            @DefaultValue("16KB") DataSize responseLimit,
            @DefaultValue("refuse") OnFailure onFailure,
            @Nullable String apiKey,
            @Nullable String apiKeyEnv) {

        enum Kind {
            STATIC,
            SELECTOR
        }

        enum OnFailure {
            REFUSE,
            DEFAULT
        }

        /** One model and what the selector is told about it. */
        record Candidate(@Nullable String model, @Nullable String description) {}

        /** Shows neither where the selector is nor a key. */
        @Override
        public String toString() {
            return "Routing[kind=%s]".formatted(kind);
        }
    }

    /** Never shows the key, wherever configuration is printed. */
    @Override
    public String toString() {
        return "GatewayProperties[image=%s, dataDirectory=%s]".formatted(image, dataDirectory);
    }
}
