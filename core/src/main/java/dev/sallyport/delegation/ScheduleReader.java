package dev.sallyport.delegation;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.format.ResolverStyle;
import java.time.temporal.ChronoField;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The four ways to write a schedule, tried in this order: delay, interval, time, cron. */
final class ScheduleReader {

    private static final Pattern SPAN = Pattern.compile("(\\+?)(\\d{1,15})([smhd])");
    private static final Pattern DATE = Pattern.compile("\\d{4}-\\d{2}-\\d{2}T.*");

    private static final DateTimeFormatter TIME = new DateTimeFormatterBuilder()
            .appendPattern("uuuu-MM-dd'T'HH:mm[:ss]")
            .appendFraction(ChronoField.NANO_OF_SECOND, 0, 9, true)
            .appendPattern("[XXX]")
            .toFormatter(Locale.ROOT)
            .withResolverStyle(ResolverStyle.STRICT);

    /** The words that fields of a cron expression may use instead of numbers, and their ranges. */
    private static final List<CronField> FIELDS = List.of(
            new CronField(0, 59, List.of()),
            new CronField(0, 59, List.of()),
            new CronField(0, 23, List.of()),
            new CronField(1, 31, List.of()),
            new CronField(
                    1, 12, List.of("JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC")),
            new CronField(0, 7, List.of("SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT")));

    private ScheduleReader() {}

    static Schedule parse(String text, Instant now, ZoneId zone) throws Schedule.MalformedException {
        String trimmed = text.strip();
        Matcher span = SPAN.matcher(trimmed);
        if (span.matches()) {
            Duration duration = duration(span.group(2), span.group(3));
            return span.group(1).isEmpty() ? new Schedule.Every(duration, trimmed) : once(now, duration);
        }
        if (DATE.matcher(trimmed).matches()) {
            Instant at = instant(trimmed, zone);
            if (!at.isAfter(now)) {
                throw new Schedule.MalformedException("schedule: `%s` is over".formatted(text), true);
            }
            return new Schedule.Once(at);
        }
        String[] fields = trimmed.split("\\s+", -1);
        if (fields.length != FIELDS.size()) {
            throw malformed(text);
        }
        for (int i = 0; i < fields.length; i++) {
            if (!FIELDS.get(i).accepts(fields[i])) {
                throw malformed(text);
            }
        }
        return new Schedule.Cron(trimmed);
    }

    private static Schedule.Once once(Instant now, Duration delay) throws Schedule.MalformedException {
        try {
            return new Schedule.Once(now.plus(delay));
        } catch (DateTimeException | ArithmeticException e) {
            throw malformed("+" + delay);
        }
    }

    private static Duration duration(String count, String unit) {
        long n = Long.parseLong(count);
        return switch (unit) {
            case "s" -> Duration.ofSeconds(n);
            case "m" -> Duration.ofMinutes(n);
            case "h" -> Duration.ofHours(n);
            default -> Duration.ofDays(n);
        };
    }

    private static Instant instant(String text, ZoneId zone) throws Schedule.MalformedException {
        try {
            return switch (TIME.parseBest(text, OffsetDateTime::from, LocalDateTime::from)) {
                case OffsetDateTime time -> time.toInstant();
                case LocalDateTime time -> time.atZone(zone).toInstant();
                default -> throw malformed(text);
            };
        } catch (DateTimeException e) {
            throw malformed(text);
        }
    }

    private static Schedule.MalformedException malformed(String text) {
        return new Schedule.MalformedException(
                "schedule: `%s` (expected: such as +10m, 5m, 2030-01-31T09:00:00Z or six cron fields)".formatted(text),
                false);
    }

    /** One field of a cron expression: a list of {@code *}, numbers and ranges, each perhaps with a step. */
    private record CronField(int first, int last, List<String> words) {

        private static final Pattern PART = Pattern.compile("(?:\\*|(\\w+)(?:-(\\w+))?)(?:/(\\d{1,2}))?");

        boolean accepts(String field) {
            for (String part : field.split(",", -1)) {
                Matcher match = PART.matcher(part);
                if (!match.matches()) {
                    return false;
                }
                int from = match.group(1) == null ? first : number(match.group(1));
                int to = match.group(2) == null ? from : number(match.group(2));
                if (from < first || to > last || from > to || "0".equals(match.group(3))) {
                    return false;
                }
            }
            return true;
        }

        private int number(String text) {
            int word = words.indexOf(text.toUpperCase(Locale.ROOT));
            if (word >= 0) {
                return word + first;
            }
            return text.matches("\\d{1,2}") ? Integer.parseInt(text) : -1;
        }
    }
}
