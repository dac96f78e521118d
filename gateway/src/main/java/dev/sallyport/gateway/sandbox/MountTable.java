package dev.sallyport.gateway.sandbox;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** What is mounted where, as in {@code /proc/<pid>/mountinfo}. */
public record MountTable(List<Entry> entries) {

    /**
     * One line of it.
     *
     * @param root the directory of the file system that is seen at {@code point}
     * @param mountOptions of this mount alone, such as `ro`
     * @param superOptions of the file system itself; for cgroup v1 its controllers
     */
    public record Entry(
            Path root, Path point, List<String> mountOptions, String type, String source, List<String> superOptions) {}

    public MountTable {
        entries = List.copyOf(entries);
    }

    /**
     * The mounts that a process sees.
     *
     * @param process what follows {@code /proc/}: a number or {@code self}
     */
    public static MountTable of(String process) throws IOException {
        return parse(Files.readAllLines(Path.of("/proc", process, "mountinfo")));
    }

    static MountTable parse(List<String> lines) {
        List<Entry> entries = new ArrayList<>();
        for (String line : lines) {
            // The optional fields before the dash vary in number.
            String[] halves = line.split(" - ", 2);
            String[] mount = halves[0].split(" ", -1);
            String[] fileSystem = halves[1].split(" ", -1);
            entries.add(new Entry(
                    Path.of(unescape(mount[3])),
                    Path.of(unescape(mount[4])),
                    List.of(mount[5].split(",", -1)),
                    fileSystem[0],
                    unescape(fileSystem[1]),
                    List.of(fileSystem[fileSystem.length - 1].split(",", -1))));
        }
        return new MountTable(entries);
    }

    /** The mount that is seen at {@code point}: of several on top of each other the last. */
    public Optional<Entry> at(Path point) {
        return entries.stream().filter(entry -> entry.point().equals(point)).reduce((_, last) -> last);
    }

    /** Every mount point below {@code directory}, without itself. */
    public List<Path> below(Path directory) {
        return entries.stream()
                .map(Entry::point)
                .filter(point -> point.startsWith(directory) && !point.equals(directory))
                .distinct()
                .sorted()
                .toList();
    }

    /** The kernel writes blanks, tabs, line ends and backslashes as three octal digits. */
    private static String unescape(String field) {
        if (field.indexOf('\\') < 0) {
            return field;
        }
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < field.length(); i++) {
            char c = field.charAt(i);
            if (c == '\\') {
                text.append((char) Integer.parseInt(field, i + 1, i + 4, 8));
                i += 3;
            } else {
                text.append(c);
            }
        }
        return text.toString();
    }
}
