package dev.sallyport.json;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** RFC 8785: one text for each JSON value, so that equal values have equal digests. */
public final class CanonicalJson {

    /** Up to here a double holds every whole number, and ECMAScript writes it as Java does. */
    private static final long EXACT = 1L << 53;

    private CanonicalJson() {}

    /** Reads {@code json} as {@link StrictJson} does and writes it canonically. */
    public static String canonicalize(String json) {
        return write(StrictJson.parse(json));
    }

    /**
     * Writes a value of the kinds that {@link StrictJson#parse} gives, and any other {@link Number}.
     *
     * @throws IllegalArgumentException for other kinds, lone surrogates and numbers that JSON does not have
     */
    public static String write(@Nullable Object value) {
        StringBuilder out = new StringBuilder();
        write(value, out);
        return out.toString();
    }

    private static void write(@Nullable Object value, StringBuilder out) {
        switch (value) {
            case null -> out.append("null");
            case Boolean flag -> out.append(flag.booleanValue());
            case Integer small -> out.append(small.intValue());
            case Long exact when Math.abs(exact) <= EXACT -> out.append(exact.longValue());
            case Number number -> out.append(number(number.doubleValue()));
            case String text -> string(text, out);
            case List<?> items -> array(items, out);
            case Map<?, ?> members -> object(members, out);
            default -> throw new IllegalArgumentException("json: not a JSON value");
        }
    }

    private static void array(List<?> items, StringBuilder out) {
        out.append('[');
        for (Iterator<?> it = items.iterator(); it.hasNext(); ) {
            write(it.next(), out);
            out.append(it.hasNext() ? "," : "");
        }
        out.append(']');
    }

    private static void object(Map<?, ?> members, StringBuilder out) {
        // RFC 8785 3.2.3 sorts by UTF-16 code units, which is what String.compareTo does.
        String[] names = members.keySet().toArray(String[]::new);
        Arrays.sort(names);
        out.append('{');
        for (int i = 0; i < names.length; i++) {
            out.append(i == 0 ? "" : ",");
            string(names[i], out);
            out.append(':');
            write(members.get(names[i]), out);
        }
        out.append('}');
    }

    private static void string(String text, StringBuilder out) {
        out.append('"');
        int written = 0;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c < 0x20 || c == '"' || c == '\\') {
                out.append(text, written, i).append(escaped(c));
                written = i + 1;
            } else if (Character.isSurrogate(c) && !Character.isSupplementaryCodePoint(text.codePointAt(i++))) {
                throw new IllegalArgumentException("json: lone surrogate");
            }
        }
        out.append(text, written, text.length()).append('"');
    }

    private static String escaped(char c) {
        return switch (c) {
            case '"' -> "\\\"";
            case '\\' -> "\\\\";
            case '\b' -> "\\b";
            case '\t' -> "\\t";
            case '\n' -> "\\n";
            case '\f' -> "\\f";
            case '\r' -> "\\r";
            default -> "\\u%04x".formatted((int) c);
        };
    }

    /** ECMAScript's Number::toString, which RFC 8785 prescribes. */
    static String number(double value) {
        if (!Double.isFinite(value)) {
            throw new IllegalArgumentException("json: not a finite number");
        }
        if (value == 0) {
            return "0";
        }
        BigDecimal shortest = shortest(Math.abs(value));
        String digits = shortest.unscaledValue().toString();
        int k = digits.length();
        int n = k - shortest.scale();
        String sign = value < 0 ? "-" : "";
        if (k <= n && n <= 21) {
            return sign + digits + "0".repeat(n - k);
        }
        if (0 < n && n <= 21) {
            return sign + digits.substring(0, n) + "." + digits.substring(n);
        }
        if (-6 < n && n <= 0) {
            return sign + "0." + "0".repeat(-n) + digits;
        }
        String exponent = (n > 0 ? "e+" : "e-") + Math.abs(n - 1);
        return sign + digits.charAt(0) + (k == 1 ? "" : "." + digits.substring(1)) + exponent;
    }

    /** The fewest digits that read back as the same double. */
    private static BigDecimal shortest(double value) {
        // Since JDK 19 these are the shortest, but never fewer than two: 4.9E-324 where 5e-324 would do.
        BigDecimal digits = new BigDecimal(Double.toString(value)).stripTrailingZeros();
        BigDecimal one = digits.round(new MathContext(1, RoundingMode.HALF_UP));
        return digits.precision() == 2 && one.doubleValue() == value ? one.stripTrailingZeros() : digits;
    }
}
