package dev.sallyport.standalone;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** docs/SECURITY.md promises a test for each of its lines; a test that was renamed or deleted must not stay promised. */
class SecurityPageTest {

    private static final Path CHECKOUT = Path.of("..");
    private static final Pattern TEST = Pattern.compile("`([A-Z][A-Za-z]+(?:Test|IT))`");

    @Test
    void everyTestThatIsNamedExists() throws Exception {
        Set<String> named = TEST.matcher(Files.readString(CHECKOUT.resolve("docs/SECURITY.md")))
                .results()
                .map(match -> match.group(1))
                .collect(Collectors.toCollection(TreeSet::new));
        Set<String> existing;
        try (Stream<Path> files = Files.walk(CHECKOUT)) {
            existing = files.map(file -> String.valueOf(file.getFileName()))
                    .filter(name -> name.endsWith(".java"))
                    .map(name -> name.substring(0, name.length() - ".java".length()))
                    .collect(Collectors.toSet());
        }

        assertThat(named).isNotEmpty();
        assertThat(existing).containsAll(named);
    }
}
