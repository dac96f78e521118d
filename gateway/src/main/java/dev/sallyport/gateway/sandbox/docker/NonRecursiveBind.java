package dev.sallyport.gateway.sandbox.docker;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.github.dockerjava.api.model.BindOptions;

/**
 * The engine's option that docker-java lacks: without it whatever is mounted below the source comes along, writable even
 * where the bind is read-only (S6).
 */
final class NonRecursiveBind extends BindOptions {

    private static final long serialVersionUID = 1L;

    @JsonProperty("NonRecursive")
    boolean nonRecursive() {
        return true;
    }
}
