package dev.sallyport.permission;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class WildcardTest {

    @Test
    void agreesWithARegularExpression() {
        long seed = Long.getLong("sallyport.seed", System.nanoTime());
        Random random = new Random(seed);
        for (int i = 0; i < 20_000; i++) {
            String pattern = word(random, "ab *?");
            String value = word(random, "ab \n");
            String regex = expression(pattern);
            boolean expected =
                    Pattern.compile(regex, Pattern.DOTALL).matcher(value).matches();

            assertThat(Wildcard.matches(pattern, value))
                    .as("pattern `%s` value `%s` seed %d", pattern, value, seed)
                    .isEqualTo(expected);
        }
    }

    @Test
    @Timeout(10)
    void takesNoTimeOverAPatternMadeToTakeLong() {
        assertThat(Wildcard.matches("*a".repeat(2_000) + "b", "a".repeat(20_000)))
                .isFalse();
    }

    private static String expression(String pattern) {
        boolean open = pattern.endsWith(" *");
        StringBuilder regex = new StringBuilder();
        for (char c : (open ? pattern.substring(0, pattern.length() - 2) : pattern).toCharArray()) {
            regex.append(c == '*' ? ".*" : c == '?' ? "." : Pattern.quote(String.valueOf(c)));
        }
        return open ? regex + "( .*)?" : regex.toString();
    }

    private static String word(Random random, String alphabet) {
        StringBuilder word = new StringBuilder();
        for (int i = random.nextInt(8); i > 0; i--) {
            word.append(alphabet.charAt(random.nextInt(alphabet.length())));
        }
        return word.toString();
    }
}
