package dev.sallyport.identity;

import java.util.random.RandomGenerator;

/** One child: an execution of an agent, from request to end. */
public record ChildId(String value) {

    public ChildId {
        RandomName.require("child id", value);
    }

    public static ChildId random(RandomGenerator random) {
        return new ChildId(RandomName.from(random));
    }

    @Override
    public String toString() {
        return value;
    }
}
