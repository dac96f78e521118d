package dev.sallyport.permissions;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.Field;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class MetricsDocumentationTest {

    private static final Pattern OURS =
            Pattern.compile("\\| `(sallyport\\.(?:decisions|asks?|lease)(?:\\.[a-z.]+)?)` \\|");

    @Test
    void thePageNamesEveryMeterAndNoOther() throws IOException {
        List<String> onPage = OURS.matcher(Files.readString(Path.of("../docs/metrics.md")))
                .results()
                .map(row -> row.group(1))
                .toList();

        assertThat(onPage)
                .containsExactlyInAnyOrderElementsOf(Arrays.stream(PermissionMetrics.class.getDeclaredFields())
                        .map(MetricsDocumentationTest::value)
                        .filter(name -> name.startsWith("sallyport."))
                        .toList());
    }

    private static String value(Field constant) {
        try {
            return String.valueOf(constant.get(null));
        } catch (IllegalAccessException e) {
            throw new IllegalStateException(e);
        }
    }
}
