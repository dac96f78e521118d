package dev.sallyport.gateway.child;

import java.time.Instant;

/**
 * One entry of a child's timeline.
 *
 * @param seq increasing within the child, without gaps
 * @param data a JSON object; the child's own words where the source is the child (S4)
 */
record Event(long seq, Instant at, Source source, String type, String data) {

    /** After this one nothing more happens to the child. */
    static final String ENDED = "ended";

    enum Source {
        GATEWAY,
        CHILD;

        String wire() {
            return this == GATEWAY ? "gateway" : "child";
        }
    }

    boolean last() {
        return source == Source.GATEWAY && type.equals(ENDED);
    }
}
