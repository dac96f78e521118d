package dev.sallyport.report;

import java.util.regex.Pattern;

/** Where a transcript lies among others (authority.md 11.12). */
public final class TranscriptPath {

    private static final Pattern DRIVE = Pattern.compile("^[A-Za-z]:");
    private static final Pattern LEADING = Pattern.compile("^-+");

    private TranscriptPath() {}

    /** A directory's path as one name. */
    public static String encoded(String directory) {
        String flat = directory.replace('/', '-').replace('\\', '-');
        return LEADING.matcher(DRIVE.matcher(flat).replaceFirst("")).replaceFirst("");
    }

    /** Relative to the directory of all transcripts; nested runs lie under the session at the root of their tree. */
    public static String of(String directory, String session, String child) {
        return "%s/%s/tasks/%s.output".formatted(encoded(directory), session, child);
    }
}
