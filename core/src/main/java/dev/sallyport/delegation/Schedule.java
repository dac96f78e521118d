package dev.sallyport.delegation;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;

/** When an agent is started again and again, or once later (authority.md 11.11). */
public sealed interface Schedule {

    record Once(Instant at) implements Schedule {}

    /** Again and again; the text is as written, without white space around. */
    record Every(Duration interval, String text) implements Schedule {}

    /** Six fields, seconds first. */
    record Cron(String expression) implements Schedule {}

    /** What was written is no schedule. */
    final class MalformedException extends Exception {

        private static final long serialVersionUID = 1L;

        private final boolean past;

        MalformedException(String message, boolean past) {
            super(message);
            this.past = past;
        }

        /** Whether it is a time that is over. */
        public boolean isPast() {
            return past;
        }
    }

    /** Reads a schedule; the zone is that of a time which names none. */
    static Schedule parse(String text, Instant now, ZoneId zone) throws MalformedException {
        return ScheduleReader.parse(text, now, zone);
    }
}
