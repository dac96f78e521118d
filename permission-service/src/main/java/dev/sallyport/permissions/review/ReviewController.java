package dev.sallyport.permissions.review;

import static dev.sallyport.service.IllegalValueException.parse;

import dev.sallyport.identity.ChildId;
import dev.sallyport.identity.Role;
import dev.sallyport.identity.SessionId;
import dev.sallyport.service.Caller;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.security.access.prepost.PreAuthorize;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

@RestController
class ReviewController {

    private static final int MAX_LIMIT = 1000;

    private final ReviewLog log;

    ReviewController(ReviewLog log) {
        this.log = log;
    }

    record Page(List<ReviewLog.Entry> entries, long after) {}

    /** Whoever may audit reads the tenant's log; everybody else that of their own sessions. */
    @GetMapping("/v1/review")
    @PreAuthorize("hasAnyRole('AUDIT', 'OBSERVE')")
    Page read(
            Caller caller,
            @RequestParam(required = false) @Nullable String session,
            @RequestParam(required = false) @Nullable String child,
            @RequestParam(defaultValue = "0") String after,
            @RequestParam(defaultValue = "100") String limit) {
        long position = parse(after, text -> number("after", text, Long.MAX_VALUE));
        List<ReviewLog.Entry> entries = log.read(
                caller.tenant(),
                caller.has(Role.AUDIT) ? null : caller.principal(),
                session == null ? null : parse(session, SessionId::new),
                child == null ? null : parse(child, ChildId::new),
                position,
                (int) (long) parse(limit, text -> number("limit", text, MAX_LIMIT)));
        return new Page(
                entries, entries.isEmpty() ? position : entries.getLast().position());
    }

    private static long number(String name, String text, long max) {
        try {
            long value = Long.parseLong(text);
            if (value >= 0 && value <= max) {
                return value;
            }
        } catch (NumberFormatException e) {
            // refused below, with the same words
        }
        throw new IllegalArgumentException("%s: `%s` (expected: 0 to %d)".formatted(name, text, max));
    }
}
