package dev.sallyport.runner.tool;

import java.util.function.Predicate;

/** A pattern like (a+)+$ can take years for one line and cannot be stopped, except by the text that it reads. */
final class Watched implements CharSequence {

    private static final class Passed extends RuntimeException {

        private static final long serialVersionUID = 1L;

        Passed() {
            super(null, null, false, false);
        }
    }

    private final CharSequence text;
    private final Deadline deadline;
    private int reads;

    private Watched(CharSequence text, Deadline deadline) {
        this.text = text;
        this.deadline = deadline;
    }

    /** Whether the text passes the test of a pattern, which is ended at the deadline. */
    static boolean test(String text, Deadline deadline, Predicate<CharSequence> pattern) throws ToolException {
        try {
            return pattern.test(new Watched(text, deadline));
        } catch (Passed e) {
            deadline.check();
            throw e;
        } catch (StackOverflowError e) {
            throw new ToolException("pattern is too complex for a text of %d characters".formatted(text.length()));
        }
    }

    @Override
    public char charAt(int index) {
        // The clock costs more than the character.
        if ((++reads & 0xFFF) == 0 && deadline.passed()) {
            throw new Passed();
        }
        return text.charAt(index);
    }

    @Override
    public int length() {
        return text.length();
    }

    @Override
    public CharSequence subSequence(int start, int end) {
        return new Watched(text.subSequence(start, end), deadline);
    }

    @Override
    public String toString() {
        return text.toString();
    }
}
