package dev.sallyport.model;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.ToDoubleFunction;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The models that an installation has, and what a name of one may be shortened to (authority.md 5.5, 5.6). The order of the
 * entries settles ties.
 */
public final class ModelCatalogue {

    /** For an installation that lists no models: any {@code provider/id} is one, and nothing can be shortened. */
    public static final ModelCatalogue ANY = new ModelCatalogue(true, List.of(), List.of());

    private static final double ALL = 100;
    private static final double ENOUGH = 20;

    /** Members of a class of characters: white space as the original's language has it. */
    static final String SPACE = "\\s\\u000b\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000\\ufeff";

    private static final Pattern BETWEEN_PIECES = Pattern.compile("[" + SPACE + "/-]+");
    private static final Pattern DATE = Pattern.compile("[0-9]{8}");

    /** One model and its name for people. */
    public record Entry(Model model, String name) {

        public static Entry of(Model model) {
            return new Entry(model, model.id());
        }
    }

    private final boolean open;
    private final List<Entry> all;
    private final List<Entry> candidates;

    private ModelCatalogue(boolean open, List<Entry> all, List<Entry> candidates) {
        this.open = open;
        this.all = all;
        this.candidates = candidates;
    }

    /**
     * A list of models.
     *
     * @param all that are known
     * @param available those that can be called, a part of all; null if that cannot be told
     */
    public static ModelCatalogue of(List<Entry> all, @Nullable List<Entry> available) {
        return new ModelCatalogue(false, List.copyOf(all), List.copyOf(available == null ? all : available));
    }

    /** A list of models that have no other names; null is {@link #ANY}. */
    public static ModelCatalogue of(@Nullable List<Model> models) {
        return models == null ? ANY : of(models.stream().map(Entry::of).toList(), null);
    }

    /** The model that a person means by a text: its whole name, a part of it, or words of it. */
    public Optional<Model> resolve(String query) {
        if (open) {
            return parse(query);
        }
        Optional<Model> exact = has(query) ? find(query) : Optional.empty();
        int slash = query.indexOf('/');
        return exact.or(() -> closest(query))
                // Whoever names another provider gets the model from the one that has it.
                .or(() -> slash < 0 ? Optional.empty() : closest(query.substring(slash + 1)));
    }

    /** The model of exactly this {@code provider/id}, upper and lower case told apart. */
    public Optional<Model> exact(String text) {
        return open
                ? parse(text)
                : find(text)
                        .filter(model -> candidates.stream()
                                .anyMatch(entry -> entry.model().equals(model)));
    }

    /** Whether this {@code provider/id} is a candidate, upper and lower case being the same. */
    boolean has(String text) {
        return open
                ? parse(text).isPresent()
                : text.contains("/")
                        && candidates.stream()
                                .anyMatch(entry -> entry.model().toString().equalsIgnoreCase(text));
    }

    /** What can be asked for, sorted; empty for {@link #ANY}. */
    public List<String> names() {
        return candidates.stream()
                .map(entry -> entry.model().toString())
                .sorted()
                .toList();
    }

    private Optional<Model> find(String text) {
        return all.stream()
                .map(Entry::model)
                .filter(model -> model.toString().equals(text))
                .findFirst();
    }

    private Optional<Model> closest(String query) {
        String wanted = normalized(query);
        String[] pieces = BETWEEN_PIECES.split(wanted, -1);
        return best(entry -> score(entry, wanted, pieces));
    }

    private Optional<Model> best(ToDoubleFunction<Entry> score) {
        Model best = null;
        double highest = 0;
        for (Entry entry : candidates) {
            double reached = score.applyAsDouble(entry);
            if (reached >= ENOUGH && reached > highest) {
                best = entry.model();
                highest = reached;
            }
        }
        return Optional.ofNullable(best);
    }

    private static double score(Entry entry, String wanted, String[] pieces) {
        String id = normalized(entry.model().id());
        String whole = normalized(entry.model().toString());
        String name = normalized(entry.name());
        if (id.equals(wanted) || whole.equals(wanted)) {
            return ALL;
        }
        if (whole.contains(wanted)) {
            return 60 + 30.0 * wanted.length() / id.length();
        }
        if (name.contains(wanted)) {
            return 40 + 20.0 * wanted.length() / name.length();
        }
        String provider = entry.model().provider().toLowerCase(Locale.ROOT);
        for (String piece : pieces) {
            // Dates of releases come and go in names.
            if (!DATE.matcher(piece).matches()
                    && !id.contains(piece)
                    && !name.contains(piece)
                    && !provider.contains(piece)) {
                return 0;
            }
        }
        return ENOUGH;
    }

    private static Optional<Model> parse(String text) {
        try {
            return Optional.of(Model.parse(text));
        } catch (IllegalArgumentException notAModel) {
            return Optional.empty();
        }
    }

    private static String normalized(String text) {
        return text.toLowerCase(Locale.ROOT).replace('.', '-');
    }
}
