package dev.sallyport.bash;

import java.util.stream.Collectors;

/** Lines of a command that are nothing but a comment (permission.md 1.9). */
public final class CommentLines {

    private CommentLines() {}

    /** The command as it is matched; one that is all comment stays as it is. */
    public static String matched(String command) {
        String code = strip(command);
        return code.isEmpty() ? command : code;
    }

    public static String strip(String command) {
        return command.lines()
                .filter(line -> !line.stripLeading().startsWith("#"))
                .collect(Collectors.joining("\n"))
                .strip();
    }
}
