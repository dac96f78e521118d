package dev.sallyport.cli;

import java.math.BigDecimal;

/** How a child ended, as a process says it. */
final class Outcome {

    private Outcome() {}

    /** The child's own code where it has one that says the same as its outcome (P4). */
    static int exitCode(Json result) {
        boolean hasCode = !result.get("exitCode").isNothing();
        int code = (int) result.number("exitCode");
        return switch (result.text("outcome")) {
            case "completed" -> code;
            case "failed" -> !hasCode ? ExitCode.FAILED : code == 0 ? ExitCode.CHILD_FAILED : code;
            case "timed-out" -> ExitCode.TIMED_OUT;
            case "cancelled" -> ExitCode.CANCELLED;
            case "refused" -> ExitCode.REFUSED;
            default -> ExitCode.FAILED; // lost, or an outcome of a later version
        };
    }

    /** One line: what became of the child, and what it cost. */
    static String summary(Json result) {
        StringBuilder line = new StringBuilder("child %s %s".formatted(result.text("child"), result.text("outcome")));
        append(line, " (%s)", result.text("reason"));
        append(line, ": %s", result.text("message"));
        append(line, ", exit %s", result.text("exitCode"));
        append(line, ", branch %s", result.text("branch"));
        append(line, ", work saved at %s", result.text("salvage"));
        Json usage = result.get("usage");
        if (usage.number("modelCalls") > 0) {
            line.append(", %s%s, %d tokens in, %d out"
                    .formatted(
                            Output.count(usage.number("modelCalls"), "model call"),
                            result.isTrue("scripted") ? " (scripted)" : "",
                            usage.number("inputTokens"),
                            usage.number("outputTokens")));
            append(line, ", %s", cost(usage));
        }
        result.get("decisions").asMap().forEach((decision, count) -> {
            if (count instanceof Number number && number.longValue() > 0) {
                line.append(", ").append(number).append(' ').append(decision);
            }
        });
        return line.toString();
    }

    /** In dollars, exactly; empty where no price is known. */
    static String cost(Json usage) {
        String cost = usage.text("costUsd");
        return cost.isEmpty() ? "" : "$" + new BigDecimal(cost).toPlainString();
    }

    private static void append(StringBuilder line, String format, String value) {
        if (!value.isEmpty()) {
            line.append(format.formatted(value));
        }
    }
}
