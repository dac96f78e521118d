package dev.sallyport.provenance;

/**
 * Where a value was written, precisely enough to go there.
 *
 * @param location {@code path:line} for a file, else the name of the setting, limit or request field
 */
public record Origin(Layer layer, String location) {

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

    @Override
    public String toString() {
        return layer.wire() + " " + location;
    }
}
