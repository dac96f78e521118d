package dev.sallyport.permissions.decision;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * What can be told of a shell command without being a shell: whether it is one simple command whose words mean what they
 * spell. Anything else is not judged by patterns (permission.md, Appendix B: prefer refusing to judge).
 */
final class CommandText {

    private static final String SPECIAL = ";&|<>()`$\\{}*?[]~#!\n\r\0";
    private static final String SPECIAL_IN_QUOTES = "`$\\!\0";

    // They run what their other words say.
    private static final Set<String> WRAPPERS = Set.of(
            "eval",
            "exec",
            "command",
            "builtin",
            "source",
            ".",
            "coproc",
            "sudo",
            "su",
            "doas",
            "env",
            "xargs",
            "time",
            "nohup",
            "timeout",
            "nice",
            "parallel",
            "rust-parallel",
            "rush",
            "setsid",
            "stdbuf",
            "watch",
            "flock",
            "ssh",
            "busybox");

    // They do so if told by an option.
    private static final Pattern CARRYING =
            Pattern.compile("(?:(?:sh|bash|dash|zsh|ksh|fish|python3?|perl|ruby|node) (?:.* )?-(?!-)[^ ]*[ce]"
                    + "|find (?:.* )?-(?:exec|execdir|ok|okdir|delete)(?: |$)"
                    + "|fd (?:.* )?(?:-x|-X|--exec|--exec-batch)(?: |$)).*");

    private CommandText() {}

    /**
     * The names of a command: without its comment lines (permission.md 1.9); then without quotes; then by the bare name of
     * its program, so that {@code "/bin/rm" x} is known as {@code rm x}.
     */
    static List<String> names(String command) {
        String stripped = command.lines()
                .filter(line -> !line.stripLeading().startsWith("#"))
                .collect(Collectors.joining("\n"))
                .strip();
        Set<String> names = new LinkedHashSet<>();
        names.add(stripped.isEmpty() ? command : stripped);
        unquoted(stripped).ifPresent(bare -> {
            names.add(bare);
            String word = bare.split(" ", 2)[0];
            names.add(bare.substring(word.lastIndexOf('/') + 1));
        });
        return List.copyOf(names);
    }

    /** Whether patterns can be trusted to see what this command runs. */
    static boolean isPlain(String command) {
        return unquoted(command)
                .filter(bare -> {
                    String word = bare.split(" ", 2)[0];
                    String name = word.substring(word.lastIndexOf('/') + 1);
                    return !word.contains("=")
                            && !WRAPPERS.contains(name)
                            && !CARRYING.matcher(name + bare.substring(word.length()))
                                    .matches();
                })
                .isPresent();
    }

    /** Empty if the command is more than one simple command or has words that a shell would change. */
    private static Optional<String> unquoted(String command) {
        StringBuilder bare = new StringBuilder();
        char quote = 0;
        for (int i = 0; i < command.length(); i++) {
            char c = command.charAt(i);
            if (quote == 0 && (c == '\'' || c == '"')) {
                quote = c;
            } else if (c == quote) {
                quote = 0;
            } else if ((quote == 0 && SPECIAL.indexOf(c) >= 0) || (quote == '"' && SPECIAL_IN_QUOTES.indexOf(c) >= 0)) {
                return Optional.empty();
            } else {
                bare.append(c);
            }
        }
        return quote == 0 ? Optional.of(bare.toString()) : Optional.empty();
    }
}
