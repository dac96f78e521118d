package dev.sallyport.gateway.routing;

import dev.sallyport.model.Model;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * What came of asking a selector.
 *
 * @param model null unless the outcome is {@link Outcome#CHOSEN}
 * @param defaultStandsIn whether the operator lets the default model run after a failure
 */
public record Selection(Outcome outcome, @Nullable Model model, boolean defaultStandsIn) {

    /** Names are tag values and part of refusals: none is ever renamed. */
    public enum Outcome {
        CHOSEN,
        CREDENTIAL_MISSING,
        UNRESOLVED,
        /** The name led to an address that is not on the public internet. */
        ADDRESS_REFUSED,
        UNREACHABLE,
        TIMEOUT,
        REDIRECTED,
        /** Any other status than 200. */
        STATUS_REFUSED,
        TOO_LARGE,
        MALFORMED,
        /** The answer is none of the models that it could choose from. */
        NOT_A_CANDIDATE;

        public String wire() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
    }
}
