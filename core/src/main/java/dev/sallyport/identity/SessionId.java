package dev.sallyport.identity;

import java.util.random.RandomGenerator;

/** One delegating session: whose children these are and whose people answer for them. */
public record SessionId(String value) {

    public SessionId {
        RandomName.require("session id", value);
    }

    public static SessionId random(RandomGenerator random) {
        return new SessionId(RandomName.from(random));
    }

    @Override
    public String toString() {
        return value;
    }
}
