package dev.sallyport.provenance;

import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Where a value was written, precisely enough to go there.
 *
 * @param location {@code path:line} for a file, else the name of the setting, limit or request field
 */
public record Origin(Layer layer, String location) {

    private static final Pattern FILE = Pattern.compile("/.*:[0-9]{1,9}", Pattern.DOTALL);

    public static final Origin CALL = new Origin(Layer.CALL, "call");
    public static final Origin DEFAULT = new Origin(Layer.DEFAULT, "built in");

    public static Origin call(String field) {
        return new Origin(Layer.CALL, field);
    }

    public static Origin setting(String name) {
        return new Origin(Layer.SETTING, name);
    }

    public static Origin operator(String name) {
        return new Origin(Layer.OPERATOR, name);
    }

    public static Origin parent(String agent) {
        return new Origin(Layer.PARENT, agent);
    }

    /** The file, where it is one; null for the name of a setting, limit or request field. */
    public @Nullable String file() {
        return FILE.matcher(location).matches() ? location.substring(0, location.lastIndexOf(':')) : null;
    }

    /** The line in {@link #file}, from 1. */
    public @Nullable Integer line() {
        return file() == null ? null : (Integer) Integer.parseInt(location.substring(location.lastIndexOf(':') + 1));
    }

    @Override
    public String toString() {
        return layer.wire() + " " + location;
    }
}
