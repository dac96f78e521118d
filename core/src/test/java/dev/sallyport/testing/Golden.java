package dev.sallyport.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Compares text with a file beside the test. Run with {@code -Dgolden.update=true} to accept a change, then read the diff. */
public final class Golden {

    private static final Path MESSAGES = Path.of("../core/src/test/resources/dev/sallyport/messages");

    private Golden() {}

    public static void assertMatches(Class<?> test, String file, String actual) throws IOException {
        assertMatches(Path.of("src/test/resources", test.getPackageName().replace('.', '/'), file), actual);
    }

    /** A message between two of our programs: the producer's test asserts it, the consumer's test reads it by {@link #message}. */
    public static void assertMessage(String file, String actual) throws IOException {
        assertMatches(MESSAGES.resolve(file), actual);
    }

    public static String message(String file) throws IOException {
        return Files.readString(MESSAGES.resolve(file));
    }

    private static void assertMatches(Path golden, String actual) throws IOException {
        if (Boolean.getBoolean("golden.update")) {
            Files.createDirectories(golden.getParent());
            Files.writeString(golden, actual);
        }
        assertThat(actual).isEqualTo(Files.readString(golden));
    }
}
