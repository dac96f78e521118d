package dev.sallyport.runner.tool;

import java.nio.file.Path;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/**
 * A file pattern as search tools write it: {@code *}, {@code ?}, {@code [a-z]}, {@code {a,b}}, and {@code **} for any number of directories,
 * none included. The JDK's glob wants at least one. Without a slash it matches the name in any directory.
 */
record Glob(Pattern pattern, boolean nameOnly) {

    static Glob of(String glob) throws ToolException {
        if (glob.length() > 1000) {
            throw new ToolException("pattern (expected: at most 1000 characters)");
        }
        String wanted = glob.startsWith("/") ? glob.substring(1) : glob;
        try {
            return new Glob(Pattern.compile(regex(wanted)), !glob.contains("/"));
        } catch (PatternSyntaxException e) {
            throw new ToolException("pattern: `%s` (expected: a glob such as src/**/*.c)".formatted(glob));
        }
    }

    /** @param relative to the directory that is searched */
    boolean matches(Path relative, Deadline deadline) throws ToolException {
        Path subject = nameOnly ? relative.getFileName() : relative;
        return Watched.test(
                subject.toString(), deadline, text -> pattern.matcher(text).matches());
    }

    private static String regex(String glob) {
        StringBuilder regex = new StringBuilder();
        int depth = 0;
        for (int i = 0; i < glob.length(); i++) {
            char c = glob.charAt(i);
            switch (c) {
                case '*' -> {
                    if (glob.startsWith("**/", i)) {
                        regex.append("(?:[^/]+/)*");
                        i += 2;
                    } else if (glob.startsWith("**", i)) {
                        regex.append(".*");
                        i++;
                    } else {
                        regex.append("[^/]*");
                    }
                }
                case '?' -> regex.append("[^/]");
                case '{' -> {
                    regex.append("(?:");
                    depth++;
                }
                case '}' -> {
                    regex.append(depth > 0 ? ")" : "\\}");
                    depth = Math.max(0, depth - 1);
                }
                case ',' -> regex.append(depth > 0 ? "|" : ",");
                case '[' -> {
                    int end = glob.indexOf(']', i + 2);
                    if (end < 0) {
                        regex.append("\\[");
                    } else {
                        String set = glob.substring(i + 1, end).replaceAll("[\\\\\\[&]", "\\\\$0");
                        regex.append('[')
                                .append(set.startsWith("!") ? "^" + set.substring(1) : set)
                                .append(']');
                        i = end;
                    }
                }
                case '\\' -> {
                    if (i + 1 < glob.length()) {
                        regex.append(Pattern.quote(glob.substring(++i, i + 1)));
                    }
                }
                default -> regex.append(Pattern.quote(String.valueOf(c)));
            }
        }
        return regex.toString();
    }
}
