package dev.sallyport.model;

/** A model by the provider that serves it. Written {@code provider/id}; an id may contain slashes. */
public record Model(String provider, String id) {

    public static final String SCRIPTED = "scripted";

    public Model {
        if (provider.isBlank() || id.isBlank() || provider.contains("/")) {
            throw new IllegalArgumentException("model: `%s/%s` (expected: provider/id)".formatted(provider, id));
        }
    }

    /** Refuses a text without a slash between two words. */
    public static Model parse(String text) {
        int slash = text.indexOf('/');
        if (slash < 0) {
            throw new IllegalArgumentException("model: `%s` (expected: provider/id)".formatted(text));
        }
        return new Model(text.substring(0, slash), text.substring(slash + 1));
    }

    /** Whether this plays a file instead of thinking. */
    public boolean scripted() {
        return provider.equals(SCRIPTED);
    }

    @Override
    public String toString() {
        return provider + "/" + id;
    }
}
