package dev.sallyport.json;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** RFC 8785: one text for each JSON value, so that equal values have equal digests. */
public final class CanonicalJson {

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
        TreeMap<String, @Nullable Object> sorted = new TreeMap<>();
        members.forEach((name, member) -> sorted.put((String) name, member));
        out.append('{');
        for (var it = sorted.entrySet().iterator(); it.hasNext(); ) {
            var member = it.next();
            string(member.getKey(), out);
            out.append(':');
            write(member.getValue(), out);
            out.append(it.hasNext() ? "," : "");
        }
        out.append('}');
    }

    private static void string(String text, StringBuilder out) {
        if (!isWellFormed(text)) {
            throw new IllegalArgumentException("json: lone surrogate");
        }
        out.append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            switch (c) {
                case '"' -> out.append("\\\"");
                case '\\' -> out.append("\\\\");
                case '\b' -> out.append("\\b");
                case '\t' -> out.append("\\t");
                case '\n' -> out.append("\\n");
                case '\f' -> out.append("\\f");
                case '\r' -> out.append("\\r");
                default -> {
                    if (c < 0x20) {
                        out.append("\\u%04x".formatted((int) c));
                    } else {
                        out.append(c);
                    }
                }
            }
        }
        out.append('"');
    }

    static boolean isWellFormed(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (Character.isSurrogate(text.charAt(i))) {
                int c = text.codePointAt(i++);
                if (c <= Character.MAX_SURROGATE) {
                    return false;
                }
            }
        }
        return true;
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
