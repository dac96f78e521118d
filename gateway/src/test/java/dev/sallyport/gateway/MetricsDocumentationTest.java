package dev.sallyport.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.Field;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** docs/metrics.md and the constants in the code name the same meters. */
class MetricsDocumentationTest {

    private static final Pattern ROW = Pattern.compile("(?m)^\\| `(sallyport\\.[a-z.]+)`");

    @Test
    void listsExactlyTheMetersOfTheGateway() throws Exception {
        Set<String> meters = new TreeSet<>();
        for (String owner :
                Set.of("budget.BudgetMetrics", "child.ChildMetrics", "door.DoorMetrics", "routing.RoutingMetrics")) {
            for (Field field : Class.forName("dev.sallyport.gateway." + owner).getDeclaredFields()) {
                field.setAccessible(true);
                if (field.getType() == String.class && ((String) field.get(null)).startsWith("sallyport.")) {
                    meters.add((String) field.get(null));
                }
            }
        }

        assertThat(documented()).isEqualTo(meters);
    }

    @Test
    void listsEveryReasonThatAChildCanEndFor() throws Exception {
        String row = section()
                .lines()
                .filter(line -> line.contains("`sallyport.child.ended`"))
                .findFirst()
                .orElseThrow();

        for (Object reason :
                Class.forName("dev.sallyport.gateway.child.EndReason").getEnumConstants()) {
            assertThat(row).contains("`" + reason.toString().toLowerCase(java.util.Locale.ROOT) + "`");
        }
    }

    private static Set<String> documented() throws IOException {
        return ROW.matcher(section())
                .results()
                .map((MatchResult row) -> row.group(1))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** The gateway's own part of the page. */
    private static String section() throws IOException {
        String page = Files.readString(Path.of("../docs/metrics.md"));
        int start = page.indexOf("## Gateway\n");
        int end = page.indexOf("\n## ", start + 1);
        return page.substring(start, end < 0 ? page.length() : end);
    }
}
