package dev.sallyport.runner.tool;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * What the model gets back for one call.
 *
 * @param exitCode of the program that the call ran, 128 + n if signal n ended it; null if it ran none
 */
public record ToolResult(
        Outcome outcome, String output, @Nullable Integer exitCode) {

    public enum Outcome {
        OK,
        ERROR,
        /** The call did not run. */
        REFUSED,
        TIMED_OUT;

        public String wire() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
    }

    public static ToolResult ok(String output) {
        return new ToolResult(Outcome.OK, output, null);
    }

    public static ToolResult error(String output) {
        return new ToolResult(Outcome.ERROR, output, null);
    }

    public static ToolResult refused(String output) {
        return new ToolResult(Outcome.REFUSED, output, null);
    }
}
