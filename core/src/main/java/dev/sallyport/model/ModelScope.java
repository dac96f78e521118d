package dev.sallyport.model;

import dev.sallyport.json.StrictJson;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The models that people said they work with (authority.md 5.7). It guards against surprises and not against agents: what no
 * child may have is the operator's to say.
 *
 * @param lists each narrows what the others allow; one that names no model there is restricts nothing
 */
public record ModelScope(List<List<String>> lists) {

    private static final Pattern EDGES =
            Pattern.compile("^[" + ModelCatalogue.SPACE + "]+|[" + ModelCatalogue.SPACE + "]+$");

    /** Where scoping is switched off. */
    public static final ModelScope NONE = new ModelScope(List.of());

    public ModelScope {
        lists = lists.stream().map(List::copyOf).toList();
    }

    /** What the scope says of a model. */
    public sealed interface Verdict {

        record Inside() implements Verdict {}

        /** The caller asked for it, and nothing may run; what is allowed is in lower case and sorted. */
        record Refused(List<String> allowed) implements Verdict {

            public Refused {
                allowed = List.copyOf(allowed);
            }
        }

        /** A file or a parent brought it: it runs, and people are told; the model as it was written. */
        record Warned(String model) implements Verdict {}
    }

    /**
     * What two settings files say in {@code enabledModels}.
     *
     * @param project text of the project's settings, null if it has none
     * @param user the same of the user
     * @param replace whether a project's list takes the place of the user's, as the original has it, and so may widen it
     */
    public static ModelScope of(@Nullable String project, @Nullable String user, boolean replace) {
        List<List<String>> lists = new ArrayList<>();
        enabled(project).ifPresent(lists::add);
        if (lists.isEmpty() || !replace) {
            enabled(user).ifPresent(lists::add);
        }
        return new ModelScope(lists);
    }

    /** The {@code enabledModels} of one settings file; what is no list there is as good as nothing. */
    private static Optional<List<String>> enabled(@Nullable String settings) {
        if (settings == null) {
            return Optional.empty();
        }
        try {
            return StrictJson.parse(settings) instanceof Map<?, ?> members
                            && members.get("enabledModels") instanceof List<?> models
                    ? Optional.of(models.stream()
                            .filter(String.class::isInstance)
                            .map(String.class::cast)
                            .toList())
                    : Optional.empty();
        } catch (IllegalArgumentException unreadable) {
            return Optional.empty();
        }
    }

    /**
     * Judges the model that a child would have.
     *
     * @param model null for none
     * @param asked what the model was asked for by; null if it was inherited
     * @param byCaller whether the call asked
     */
    public Verdict judge(ModelCatalogue catalogue, @Nullable Model model, @Nullable String asked, boolean byCaller) {
        Optional<TreeSet<String>> allowed = allowed(catalogue);
        if (model == null || allowed.isEmpty() || allowed.get().contains(key(model.toString()))) {
            return new Verdict.Inside();
        }
        return byCaller
                ? new Verdict.Refused(List.copyOf(allowed.get()))
                : new Verdict.Warned(asked == null ? model.toString() : asked);
    }

    private Optional<TreeSet<String>> allowed(ModelCatalogue catalogue) {
        return lists.stream()
                .map(list -> list.stream()
                        .map(entry -> EDGES.matcher(entry).replaceAll(""))
                        .filter(catalogue::has)
                        .map(ModelScope::key)
                        .toList())
                .filter(keys -> !keys.isEmpty())
                .map(TreeSet::new)
                .reduce((some, others) -> {
                    some.retainAll(others);
                    return some;
                });
    }

    private static String key(String name) {
        return name.toLowerCase(Locale.ROOT);
    }
}
