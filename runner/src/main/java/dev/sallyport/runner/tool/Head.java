package dev.sallyport.runner.tool;

import java.nio.charset.StandardCharsets;

/** Keeps the first lines of an output. */
final class Head {

    private final OutputLimit limit;
    private final StringBuilder text = new StringBuilder();
    private int bytes;
    private int lines;

    Head(OutputLimit limit) {
        this.limit = limit;
    }

    /** Returns false, and keeps nothing of the line, if it does not fit. */
    boolean add(String line) {
        int size = line.getBytes(StandardCharsets.UTF_8).length + 1;
        if (lines == limit.lines() || bytes + size > limit.bytes()) {
            return false;
        }
        text.append(line).append('\n');
        bytes += size;
        lines++;
        return true;
    }

    int lines() {
        return lines;
    }

    @Override
    public String toString() {
        return text.toString();
    }
}
