package dev.sallyport.authority;

import dev.sallyport.provenance.Grade;
import dev.sallyport.provenance.Origin;
import java.util.List;

/** One field of an authority: what it is, what makes it hold, who decided, and who was passed over. */
public record Field(String name, String value, Grade grade, Origin winner, List<Loser> losers) {

    public Field {
        losers = List.copyOf(losers);
    }

    /** A word that did not count, and why. */
    public record Loser(Origin origin, String value, String reason) {}

    static String words(List<String> words) {
        return words.isEmpty() ? "none" : String.join(", ", words);
    }
}
