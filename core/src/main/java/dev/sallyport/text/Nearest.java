package dev.sallyport.text;

import java.util.Collection;
import java.util.Comparator;
import java.util.Locale;
import java.util.Optional;

/** What somebody probably meant. */
public final class Nearest {

    private Nearest() {}

    /** The known name with the fewest edits, if they are few enough to be a slip. */
    public static Optional<String> to(String word, Collection<String> known) {
        String simple = simplified(word);
        if (simple.length() > 64) {
            return Optional.empty();
        }
        return known.stream()
                .filter(name -> distance(simple, simplified(name)) <= Math.max(1, name.length() / 3))
                .min(Comparator.comparingInt(name -> distance(simple, simplified(name))));
    }

    private static String simplified(String word) {
        return word.toLowerCase(Locale.ROOT).replaceAll("[-_ ]", "");
    }

    private static int distance(String a, String b) {
        int[] row = new int[b.length() + 1];
        for (int j = 0; j <= b.length(); j++) {
            row[j] = j;
        }
        for (int i = 1; i <= a.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j <= b.length(); j++) {
                int substituted = diagonal + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.min(substituted, 1 + Math.min(row[j], row[j - 1]));
            }
        }
        return row[b.length()];
    }
}
