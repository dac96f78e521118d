package dev.sallyport.gateway.memory;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** A unified diff of two small sets of texts. Bounded: where too much is different, all of it is shown as changed. */
final class TextDiff {

    private static final int CONTEXT = 3;

    /** Lines of one side times lines of the other that are compared each with each. */
    private static final int MOST_PAIRS = 4_000_000;

    private TextDiff() {}

    static String of(MemoryFiles from, MemoryFiles to) {
        StringBuilder diff = new StringBuilder();
        TreeSet<String> names = new TreeSet<>(from.texts().keySet());
        names.addAll(to.texts().keySet());
        for (String name : names) {
            String before = from.text(name);
            String after = to.text(name);
            if (!Objects.equals(before, after)) {
                diff.append(before == null ? "--- /dev/null\n" : "--- a/%s\n".formatted(name));
                diff.append(after == null ? "+++ /dev/null\n" : "+++ b/%s\n".formatted(name));
                hunks(edits(lines(before), lines(after)), diff);
            }
        }
        return diff.toString();
    }

    /** @param sign of a unified diff: a space, `-` or `+` */
    private record Edit(char sign, String line) {}

    /** Each with its line end, so that a text without a last one differs from the same with it. */
    private static List<String> lines(@Nullable String text) {
        List<String> lines = new ArrayList<>();
        for (int start = 0; text != null && start < text.length(); ) {
            int end = text.indexOf('\n', start);
            end = end < 0 ? text.length() : end + 1;
            lines.add(text.substring(start, end));
            start = end;
        }
        return lines;
    }

    private static List<Edit> edits(List<String> before, List<String> after) {
        int start = 0;
        while (start < Math.min(before.size(), after.size())
                && before.get(start).equals(after.get(start))) {
            start++;
        }
        int end = 0;
        while (end < Math.min(before.size(), after.size()) - start
                && before.get(before.size() - 1 - end).equals(after.get(after.size() - 1 - end))) {
            end++;
        }
        List<Edit> edits = new ArrayList<>();
        before.subList(0, start).forEach(line -> edits.add(new Edit(' ', line)));
        changed(before.subList(start, before.size() - end), after.subList(start, after.size() - end), edits);
        before.subList(before.size() - end, before.size()).forEach(line -> edits.add(new Edit(' ', line)));
        return edits;
    }

    /** By the longest common subsequence. */
    private static void changed(List<String> before, List<String> after, List<Edit> edits) {
        boolean few = (long) before.size() * after.size() <= MOST_PAIRS;
        int[][] longest = few ? longest(before, after) : new int[0][];
        int i = 0;
        int j = 0;
        while (few && i < before.size() && j < after.size()) {
            if (before.get(i).equals(after.get(j))) {
                edits.add(new Edit(' ', before.get(i++)));
                j++;
            } else if (longest[i + 1][j] >= longest[i][j + 1]) {
                edits.add(new Edit('-', before.get(i++)));
            } else {
                edits.add(new Edit('+', after.get(j++)));
            }
        }
        before.subList(i, before.size()).forEach(line -> edits.add(new Edit('-', line)));
        after.subList(j, after.size()).forEach(line -> edits.add(new Edit('+', line)));
    }

    /** How many lines the rests from each place have in common. */
    private static int[][] longest(List<String> before, List<String> after) {
        int[][] longest = new int[before.size() + 1][after.size() + 1];
        for (int i = before.size() - 1; i >= 0; i--) {
            for (int j = after.size() - 1; j >= 0; j--) {
                longest[i][j] = before.get(i).equals(after.get(j))
                        ? longest[i + 1][j + 1] + 1
                        : Math.max(longest[i + 1][j], longest[i][j + 1]);
            }
        }
        return longest;
    }

    private static void hunks(List<Edit> edits, StringBuilder diff) {
        int before = 0;
        int after = 0;
        int done = 0;
        for (int i = 0; i < edits.size(); i++) {
            if (edits.get(i).sign == ' ') {
                continue;
            }
            int start = Math.max(done, i - CONTEXT);
            for (; done < start; done++) {
                before++;
                after++;
            }
            int end = end(edits, i);
            List<Edit> hunk = edits.subList(start, end);
            int old = (int) hunk.stream().filter(edit -> edit.sign != '+').count();
            int fresh = (int) hunk.stream().filter(edit -> edit.sign != '-').count();
            diff.append("@@ -%s +%s @@\n".formatted(range(before, old), range(after, fresh)));
            hunk.forEach(edit -> line(edit, diff));
            before += old;
            after += fresh;
            done = end;
            i = end - 1;
        }
    }

    /** Behind the context of the last change that is near enough to the one before it. */
    private static int end(List<Edit> edits, int first) {
        int last = first;
        for (int i = first; i < edits.size() && i - last <= 2 * CONTEXT; i++) {
            last = edits.get(i).sign == ' ' ? last : i;
        }
        return Math.min(edits.size(), last + 1 + CONTEXT);
    }

    private static String range(int skipped, int count) {
        return "%d,%d".formatted(count == 0 ? skipped : skipped + 1, count);
    }

    private static void line(Edit edit, StringBuilder diff) {
        diff.append(edit.sign).append(edit.line);
        if (!edit.line.endsWith("\n")) {
            diff.append("\n\\ No newline at end of file\n");
        }
    }
}
