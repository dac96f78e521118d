package dev.sallyport.identity;

import java.util.random.RandomGenerator;

/** One database's worth of Sallyport. Two can share an engine or a host and never touch what the other made (S28). */
public record InstallationId(String value) {

    public InstallationId {
        RandomName.require("installation id", value);
    }

    public static InstallationId random(RandomGenerator random) {
        return new InstallationId(RandomName.from(random));
    }

    @Override
    public String toString() {
        return value;
    }
}
