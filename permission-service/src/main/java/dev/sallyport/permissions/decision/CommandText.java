package dev.sallyport.permissions.decision;

import java.util.Arrays;
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
     * The names of a command: as it is; without its comment lines (permission.md 1.9); then without quotes; then by the
     * bare name of its program, so that {@code "/bin/rm" x} is known as {@code rm x}.
     */
    static List<String> names(String command) {
        String code = withoutComments(command);
        Set<String> names = new LinkedHashSet<>();
        names.add(command);
        names.add(code);
        unquoted(code).ifPresent(bare -> {
            names.add(bare);
            names.add(bare.substring(word(bare).lastIndexOf('/') + 1));
        });
        return List.copyOf(names);
    }

    /** Whether patterns can be trusted to see what this command runs. */
    static boolean isPlain(String command) {
        return unquoted(withoutComments(command))
                .filter(bare -> {
                    String name = word(bare).substring(word(bare).lastIndexOf('/') + 1);
                    return !word(bare).contains("=")
                            && !WRAPPERS.contains(name)
                            && !CARRYING.matcher(
                                            name + bare.substring(word(bare).length()))
                                    .matches();
                })
                .isPresent();
    }

    private static String word(String command) {
        return command.split("[ \t]", 2)[0];
    }

    private static String withoutComments(String command) {
        String code = Arrays.stream(command.split("\n", -1))
                .filter(line -> !line.stripLeading().startsWith("#"))
                .collect(Collectors.joining("\n"))
                .strip();
        return code.isEmpty() ? command : code;
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
