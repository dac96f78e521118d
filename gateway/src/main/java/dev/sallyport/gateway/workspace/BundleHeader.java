package dev.sallyport.gateway.workspace;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sallyport.gateway.workspace.WorkspaceException.Refused;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What stands before the pack in a bundle.
 *
 * @param bytes how long it is
 */
record BundleHeader(Set<String> prerequisites, Map<String, String> refs, int bytes) {

    private static final int MAX_BYTES = 1 << 16;
    private static final Pattern PREREQUISITE = Pattern.compile("-([0-9a-f]{40})( .*)?");
    private static final Pattern REF = Pattern.compile("([0-9a-f]{40}) ([^\\x00-\\x20\\x7f]+)");

    static BundleHeader read(InputStream in) throws IOException {
        Set<String> prerequisites = new TreeSet<>();
        Map<String, String> refs = new LinkedHashMap<>();
        byte[] header = header(in);
        String[] lines = new String(header, UTF_8).split("\n", -1);
        if (!lines[0].equals("# v2 git bundle")) {
            // A version 3 bundle can name another hash or leave objects out.
            throw format("it does not begin with `# v2 git bundle`");
        }
        for (int i = 1; i < lines.length - 2; i++) {
            Matcher prerequisite = PREREQUISITE.matcher(lines[i]);
            Matcher ref = REF.matcher(lines[i]);
            if (prerequisite.matches() && refs.isEmpty()) {
                prerequisites.add(prerequisite.group(1));
            } else if (!ref.matches() || refs.put(ref.group(2), ref.group(1)) != null) {
                throw format("line %d of its header is not understood".formatted(i + 1));
            }
        }
        return new BundleHeader(prerequisites, refs, header.length);
    }

    /** Up to and with the empty line that ends it. */
    private static byte[] header(InputStream in) throws IOException {
        ByteArrayOutputStream text = new ByteArrayOutputStream();
        for (int c = in.read(), before = 0; text.size() < MAX_BYTES && c >= 0; before = c, c = in.read()) {
            text.write(c);
            if (c == '\n' && before == '\n') {
                return text.toByteArray();
            }
        }
        throw format("its header does not end");
    }

    private static Refused format(String why) {
        return new Refused(WorkspaceRefusal.BUNDLE_FORMAT, "not a bundle that can be taken: " + why);
    }

    /** @throws Refused if this is anything but one branch that grew from {@code base} */
    void require(String branch, String base) {
        for (String ref : refs.keySet()) {
            if (!ref.equals(branch)) {
                throw new Refused(
                        WorkspaceRefusal.BUNDLE_REFS,
                        "the bundle brings %s (expected: only `%s`)".formatted(Quoted.name(ref), branch));
            }
        }
        if (refs.isEmpty()) {
            throw new Refused(
                    WorkspaceRefusal.BUNDLE_REFS, "the bundle brings no ref (expected: `%s`)".formatted(branch));
        }
        for (String prerequisite : prerequisites) {
            if (!prerequisite.equals(base)) {
                throw new Refused(
                        WorkspaceRefusal.BUNDLE_PREREQUISITES,
                        "the bundle needs commit %s (expected: only the base commit %s)".formatted(prerequisite, base));
            }
        }
    }
}
