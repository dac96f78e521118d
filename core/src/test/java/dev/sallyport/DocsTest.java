package dev.sallyport;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What the documents name is there: a test that was renamed takes its line of docs/SECURITY.md along. */
class DocsTest {

    private static final Path REPOSITORY = Path.of("..").toAbsolutePath().normalize();
    private static final Pattern CLASS = Pattern.compile("`([A-Z][a-z0-9]+(?:[A-Z]+[a-z0-9]*)+)`");

    @Test
    void everyClassThatADocumentNamesExists() throws IOException {
        Set<String> named = new TreeSet<>();
        for (String pattern : new String[] {".", "docs", "docs/adr"}) {
            try (Stream<Path> files = Files.list(REPOSITORY.resolve(pattern))) {
                for (Path file :
                        files.filter(path -> path.toString().endsWith(".md")).toList()) {
                    CLASS.matcher(Files.readString(file))
                            .results()
                            .map((MatchResult found) -> found.group(1))
                            .forEach(named::add);
                }
            }
        }

        assertThat(named).contains("ContainmentIT", "AuthorityResolver");
        assertThat(sources()).containsAll(named);
    }

    private static Set<String> sources() throws IOException {
        Set<String> names = new TreeSet<>();
        try (Stream<Path> modules = Files.list(REPOSITORY)) {
            for (Path source : modules.map(module -> module.resolve("src"))
                    .filter(Files::isDirectory)
                    .toList()) {
                try (Stream<Path> files = Files.walk(source)) {
                    names.addAll(files.map(file -> file.getFileName().toString())
                            .filter(name -> name.endsWith(".java"))
                            .map(name -> name.substring(0, name.length() - ".java".length()))
                            .collect(Collectors.toSet()));
                }
            }
        }
        return names;
    }
}
