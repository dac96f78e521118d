package dev.sallyport.authority;

import java.util.List;

/** What came of a request. */
public sealed interface Outcome {

    Explanation explanation();

    record Granted(Authority authority, Explanation explanation) implements Outcome {}

    /** Nothing runs; {@code reasons} are sentences for whoever asked. */
    record Refused(Refusal refusal, List<String> reasons, Explanation explanation) implements Outcome {

        public Refused {
            reasons = List.copyOf(reasons);
        }

        public String code() {
            return refusal.code();
        }
    }
}
