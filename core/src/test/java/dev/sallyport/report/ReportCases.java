package dev.sallyport.report;

import dev.sallyport.json.JsonObject;
import dev.sallyport.testing.CaseFiles.Case;
import dev.sallyport.text.Blanks;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** What is said of a run when it is over. */
public final class ReportCases {

    private ReportCases() {}

    public static Map<String, Function<Case, @Nullable Object>> areas() {
        return Map.of(
                "output.encodeCwd",
                c -> TranscriptPath.encoded(c.input().text("cwd")),
                "usage",
                c -> usage(c.input()),
                "statusNote",
                c -> {
                    // One note for both positions: only the wording around it differs.
                    String note = OutcomeNote.of(c.input().text("status")).wire();
                    return Map.of("background", note, "foreground", note);
                },
                "statusNote.partial",
                c -> partial(c.input().text("result")));
    }

    private static Map<String, Object> partial(String result) {
        String partial = OutcomeNote.partial(result);
        String said = Blanks.trim(result);
        return Map.of("empty", partial.isEmpty(), "endsWith", partial.endsWith(said) ? said : partial);
    }

    private static Map<String, Object> usage(JsonObject input) {
        Usage sum = read(input.object("into")).plus(read(input.object("delta")));
        Map<String, Object> json = new LinkedHashMap<>();
        Map<String, Object> totals = new LinkedHashMap<>();
        totals.put("input", sum.input());
        totals.put("output", sum.output());
        totals.put("cacheWrite", sum.cacheWrite());
        totals.put("cacheRead", sum.cacheRead() == 0 ? null : sum.cacheRead());
        totals.put("cost", sum.cost() == 0 ? null : sum.cost());
        json.put("sum", totals);
        json.put("displayTotal", sum.shown());
        json.put("reported", sum.isNothing() ? null : reported(sum));
        return json;
    }

    private static Map<String, Object> reported(Usage usage) {
        return Map.of(
                "input",
                usage.input(),
                "output",
                usage.output(),
                "cacheRead",
                usage.cacheRead(),
                "cacheWrite",
                usage.cacheWrite(),
                "totalTokens",
                usage.total(),
                "cost",
                Map.of("input", 0, "output", 0, "cacheRead", 0, "cacheWrite", 0, "total", usage.cost()));
    }

    private static Usage read(JsonObject json) {
        return new Usage(
                count(json, "input"),
                count(json, "output"),
                count(json, "cacheWrite"),
                count(json, "cacheRead"),
                json.optional("cost") instanceof Number cost ? cost.doubleValue() : 0);
    }

    private static long count(JsonObject json, String name) {
        return json.optional(name) instanceof Number number ? number.longValue() : 0;
    }
}
