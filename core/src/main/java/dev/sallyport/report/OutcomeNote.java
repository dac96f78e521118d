package dev.sallyport.report;

import dev.sallyport.text.Blanks;
import java.util.Locale;

/** Why a run ended otherwise than by finishing, for whoever reads its result (authority.md 11.13). */
public enum OutcomeNote {
    NONE(""),
    TURN_LIMIT_WRAPUP("it reached its turn limit and was told to wrap up: the work may be incomplete"),
    TURN_LIMIT_ABORT("it went past its turn limit and was ended: the work is incomplete"),
    USER_STOP("a person stopped it: the work is incomplete");

    private final String sentence;

    OutcomeNote(String sentence) {
        this.sentence = sentence;
    }

    /** The note for how a run ended: {@code steered}, {@code aborted}, {@code stopped}, or anything else. */
    public static OutcomeNote of(String status) {
        return switch (status) {
            case "steered" -> TURN_LIMIT_WRAPUP;
            case "aborted" -> TURN_LIMIT_ABORT;
            case "stopped" -> USER_STOP;
            default -> NONE;
        };
    }

    public String wire() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** For people, empty if there is nothing to say. */
    public String sentence() {
        return sentence;
    }

    /** What a failed run had said until then; empty if nothing. */
    public static String partial(String result) {
        String said = Blanks.trim(result);
        return said.isEmpty() ? "" : "\n\nWhat it had said until then:\n" + said;
    }
}
