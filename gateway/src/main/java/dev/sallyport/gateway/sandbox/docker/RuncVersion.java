package dev.sallyport.gateway.sandbox.docker;

import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Which known escapes a version of runc is open to (S12). */
final class RuncVersion {

    /** First version of each release line with the fix; lines before the first never got it, lines after the last have it. */
    private record Fix(String vulnerability, List<int[]> upstream, List<Pattern> distributions) {}

    private static final List<Fix> FIXES = List.of(
            new Fix(
                    "CVE-2024-21626",
                    List.of(new int[] {1, 1, 12}),
                    // Debian 11 and 12 carried the fix back.
                    List.of(
                            Pattern.compile("1\\.0\\.0~rc93\\+ds1-5\\+deb11u[3-9].*"),
                            Pattern.compile("1\\.1\\.5\\+ds1-1\\+deb12u[1-9].*"))),
            new Fix(
                    "CVE-2025-31133, CVE-2025-52565, CVE-2025-52881",
                    List.of(new int[] {1, 2, 8}, new int[] {1, 3, 3}),
                    List.of(Pattern.compile("1\\.1\\.15\\+ds1-2\\+deb13u[2-9].*"))));

    private static final Pattern NUMBERS = Pattern.compile("v?(\\d+)\\.(\\d+)\\.(\\d+).*");

    private RuncVersion() {}

    /** A version that cannot be read is open to all of them. */
    static List<String> vulnerabilities(String version) {
        return FIXES.stream()
                .filter(fix -> !isFixed(fix, version))
                .map(Fix::vulnerability)
                .toList();
    }

    private static boolean isFixed(Fix fix, String version) {
        if (fix.distributions.stream().anyMatch(d -> d.matcher(version).matches())) {
            return true;
        }
        Matcher matcher = NUMBERS.matcher(version);
        if (!matcher.matches()) {
            return false;
        }
        int[] numbers = {number(matcher, 1), number(matcher, 2), number(matcher, 3)};
        TreeMap<int[], int[]> lines =
                new TreeMap<>(Comparator.comparingInt((int[] v) -> v[0]).thenComparingInt(v -> v[1]));
        fix.upstream.forEach(first -> lines.put(first, first));
        Map.Entry<int[], int[]> line = lines.floorEntry(numbers);
        return line != null && (!sameLine(line.getKey(), numbers) || Arrays.compare(numbers, line.getValue()) >= 0);
    }

    private static boolean sameLine(int[] a, int[] b) {
        return a[0] == b[0] && a[1] == b[1];
    }

    private static int number(Matcher matcher, int group) {
        return Integer.parseInt(matcher.group(group));
    }
}
