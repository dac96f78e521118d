package dev.sallyport.gateway.workspace;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sallyport.gateway.workspace.WorkspaceException.Refused;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.eclipse.jgit.errors.ConfigInvalidException;
import org.eclipse.jgit.errors.CorruptObjectException;
import org.eclipse.jgit.lib.AnyObjectId;
import org.eclipse.jgit.lib.Config;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.ObjectChecker;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.util.RawParseUtils;

/**
 * Every object of a child's bundle passes here. To JGit's own strictness it adds names that become {@code .git} on a
 * Windows or macOS disk, and what a {@code .gitmodules} may say. JGit's switches for those systems are not used: they also
 * refuse names that are ordinary on Linux, such as {@code Foo::Bar.pm}, or {@code Makefile} beside {@code makefile}.
 */
final class StrictChecker extends ObjectChecker {

    static final int MAX_GITMODULES = 1 << 20;

    private static final Pattern URL =
            Pattern.compile("https://[^\\x00-\\x20\\x7f\\\\]+|\\.\\.?/[^\\x00-\\x20\\x7f\\\\:]+");
    private static final Pattern SUBMODULE_NAME = Pattern.compile("[^\\x00-\\x1f\\x7f\\\\-][^\\x00-\\x1f\\x7f\\\\]*");

    /** What HFS+ leaves out when it compares names. */
    private static final Pattern HFS_IGNORED =
            Pattern.compile("[\\x{200c}-\\x{200f}\\x{202a}-\\x{202e}\\x{206a}-\\x{206f}\\x{feff}]");

    /** Short names that NTFS gives: {@code GIT~1}, and {@code GITMOD~1} or a hash of it for .gitmodules. */
    private static final Pattern NTFS_SHORT =
            Pattern.compile("git~\\d+|gitmod~\\d+|gi7eba~\\d+|gi7d29~\\d+|gitatt~\\d+");

    private final Set<ObjectId> gitmodules = new TreeSet<>();

    /** Blobs that some tree calls {@code .gitmodules}; to be given to {@link #requireHarmless} after the last object. */
    Set<ObjectId> gitmodules() {
        return gitmodules;
    }

    @Override
    public void check(AnyObjectId id, int type, byte[] content) {
        try {
            super.check(id, type, content);
        } catch (CorruptObjectException e) {
            throw new Refused(
                    WorkspaceRefusal.BUNDLE_OBJECT_INVALID,
                    "the bundle holds an object that git would not make: "
                            + Quoted.text(String.valueOf(e.getMessage()), 300));
        }
    }

    @Override
    public void checkTree(AnyObjectId id, byte[] tree) throws CorruptObjectException {
        super.checkTree(id, tree);
        for (int entry = 0; entry < tree.length; ) {
            int space = RawParseUtils.next(tree, entry, ' ');
            int end = RawParseUtils.next(tree, space, '\0');
            String mode = new String(tree, entry, space - 1 - entry, UTF_8);
            requireMode(id, mode);
            String name = new String(tree, space, end - 1 - space, UTF_8);
            String alias = onOtherDisks(name);
            if (alias.equals(".git")) {
                throw path(id, name, "is `.git` on some disks");
            }
            if (alias.equals(".gitmodules") || alias.equals(".gitattributes")) {
                if (mode.equals("120000")) {
                    throw path(id, name, "is a symbolic link that git would read");
                }
                if (!name.equals(alias)) {
                    throw path(id, name, "is `%s` on some disks".formatted(alias));
                }
                if (alias.equals(".gitmodules")) {
                    gitmodules.add(ObjectId.fromRaw(tree, end));
                }
            }
            entry = end + Constants.OBJECT_ID_LENGTH;
        }
    }

    private static void requireMode(AnyObjectId tree, String mode) {
        switch (mode) {
            // 100664 is what git wrote in its first months, and keeps.
            case "40000", "100644", "100664", "100755", "120000", "160000" -> {}
            default ->
                throw new Refused(
                        WorkspaceRefusal.BUNDLE_OBJECT_INVALID,
                        "tree %s has an entry of mode %s".formatted(tree.name(), Quoted.name(mode)));
        }
    }

    /** The one of git's own names that a Windows or macOS disk takes {@code name} for; {@code name} where it takes none. */
    private static String onOtherDisks(String name) {
        String hfs = HFS_IGNORED.matcher(name).replaceAll("").toLowerCase(Locale.ROOT);
        for (String part : hfs.split("\\\\", -1)) {
            String ntfs = part.replaceFirst(":.*", "").replaceFirst("[ .]+$", "");
            if (ntfs.equals(".git") || ntfs.equals(".gitmodules") || ntfs.equals(".gitattributes")) {
                return ntfs;
            }
            if (NTFS_SHORT.matcher(ntfs).matches()) {
                return ntfs.startsWith("git~")
                        ? ".git"
                        : ntfs.startsWith("gitatt") || ntfs.startsWith("gi7d29") ? ".gitattributes" : ".gitmodules";
            }
        }
        return name;
    }

    private static Refused path(AnyObjectId tree, String name, String why) {
        return new Refused(
                WorkspaceRefusal.BUNDLE_PATH, "%s in tree %s %s".formatted(Quoted.name(name), tree.name(), why));
    }

    /** @throws Refused unless every submodule has a plain name and path, and comes by https or from beside the repository */
    static void requireHarmless(byte[] gitmodules) {
        Config config = new Config();
        try {
            config.fromText(new String(gitmodules, UTF_8));
        } catch (ConfigInvalidException e) {
            throw submodule("it does not parse");
        }
        for (String section : config.getSections()) {
            if (!section.equals("submodule")) {
                throw submodule("it sets %s".formatted(Quoted.name(section)));
            }
        }
        for (String name : config.getSubsections("submodule")) {
            requireName(name, "name");
            for (String key : config.getNames("submodule", name)) {
                String value = Optional.ofNullable(config.getString("submodule", name, key))
                        .orElse("");
                switch (key.toLowerCase(Locale.ROOT)) {
                    case "path" -> requireName(value, "path");
                    case "url" -> {
                        if (!URL.matcher(value).matches()) {
                            throw submodule("it has the URL %s (expected: https)".formatted(Quoted.name(value)));
                        }
                    }
                    case "update" -> {
                        if (value.startsWith("!")) {
                            throw submodule("it runs a command");
                        }
                    }
                    default -> {}
                }
            }
        }
    }

    private static void requireName(String name, String what) {
        if (!SUBMODULE_NAME.matcher(name).matches()
                || List.of(name.split("/", -1)).contains("..")) {
            throw submodule("it has the %s %s".formatted(what, Quoted.name(name)));
        }
    }

    private static Refused submodule(String why) {
        return new Refused(WorkspaceRefusal.BUNDLE_SUBMODULE, ".gitmodules is not acceptable: " + why);
    }
}
