package dev.sallyport.identity;

import java.util.random.RandomGenerator;

/** What one agent of one user remembers, of one project or of all. */
public record MemoryId(String value) {

    public MemoryId {
        RandomName.require("memory id", value);
    }

    public static MemoryId random(RandomGenerator random) {
        return new MemoryId(RandomName.from(random));
    }

    @Override
    public String toString() {
        return value;
    }
}
