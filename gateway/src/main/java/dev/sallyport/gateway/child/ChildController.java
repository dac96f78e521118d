package dev.sallyport.gateway.child;

import static dev.sallyport.service.IllegalValueException.parse;

import dev.sallyport.gateway.error.GatewayException.InvalidRequest;
import dev.sallyport.gateway.workspace.ChangedFile;
import dev.sallyport.identity.ChildId;
import dev.sallyport.identity.SessionId;
import dev.sallyport.service.Caller;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.convert.DurationStyle;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.security.access.prepost.PreAuthorize;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

@RestController
@RequestMapping("/v1/children")
class ChildController {

    private static final Duration LONGEST_WAIT = Duration.ofSeconds(60);
    private static final int LONGEST_KEY = 128;

    private final Spawning spawning;
    private final Inspection inspection;
    private final EventStream events;
    private final Transcript transcript;

    ChildController(Spawning spawning, Inspection inspection, EventStream events, Transcript transcript) {
        this.spawning = spawning;
        this.inspection = inspection;
        this.events = events;
        this.transcript = transcript;
    }

    record ChildList(List<ChildResponse> children) {}

    record CancelRequest(@Nullable String reason) {}

    record SteerRequest(@Nullable String message) {}

    record ChangesResponse(String base, String tip, List<FileResponse> files) {}

    /** @param content base64; null where there is no new content */
    record FileResponse(
            String path,
            String mode,
            String change,
            @Nullable String oldSha256,
            @Nullable String content) {

        static FileResponse of(ChangedFile file) {
            return new FileResponse(
                    file.path(),
                    file.mode(),
                    file.change().name().toLowerCase(Locale.ROOT),
                    file.oldSha256(),
                    file.content());
        }
    }

    @PostMapping
    @PreAuthorize("hasRole('SPAWN')")
    ResponseEntity<ChildResponse> spawn(
            Caller caller,
            @RequestBody SpawnRequest request,
            @RequestHeader(name = "Idempotency-Key", required = false) @Nullable String key) {
        requireKey(key);
        return accepted(spawning.spawn(caller, request, key));
    }

    private static ResponseEntity<ChildResponse> accepted(Child child) {
        return ResponseEntity.accepted()
                .location(URI.create("/v1/children/" + child.id()))
                .body(ChildResponse.of(child));
    }

    @GetMapping
    @PreAuthorize("hasRole('OBSERVE')")
    ChildList list(Caller caller, @RequestParam(required = false) @Nullable String session) {
        SessionId only = session == null ? null : parse(session, SessionId::new);
        return new ChildList(
                inspection.list(caller, only).stream().map(ChildResponse::of).toList());
    }

    @GetMapping("/{id}")
    @PreAuthorize("hasRole('OBSERVE')")
    ChildResponse show(Caller caller, @PathVariable String id) {
        return ChildResponse.of(inspection.child(caller, childId(id)));
    }

    @DeleteMapping("/{id}")
    @ResponseStatus(HttpStatus.NO_CONTENT)
    @PreAuthorize("hasRole('SPAWN')")
    void delete(Caller caller, @PathVariable String id) {
        inspection.delete(caller, childId(id));
    }

    @GetMapping("/{id}/result")
    @PreAuthorize("hasRole('OBSERVE')")
    ResultResponse result(Caller caller, @PathVariable String id, @RequestParam(defaultValue = "0s") String wait)
            throws InterruptedException {
        return inspection.result(caller, childId(id), parse(wait, ChildController::wait));
    }

    @GetMapping(path = "/{id}/authority", produces = MediaType.APPLICATION_JSON_VALUE)
    @PreAuthorize("hasRole('OBSERVE')")
    ResponseEntity<String> authority(Caller caller, @PathVariable String id) {
        return ResponseEntity.ok(inspection.authority(caller, childId(id)));
    }

    @GetMapping(path = "/{id}/authority", produces = MediaType.TEXT_PLAIN_VALUE)
    @PreAuthorize("hasRole('OBSERVE')")
    String explanation(Caller caller, @PathVariable String id) {
        return inspection.explanation(caller, childId(id));
    }

    /** @param follow false ends the stream at the newest event */
    @GetMapping("/{id}/events")
    @PreAuthorize("hasRole('OBSERVE')")
    void events(
            Caller caller,
            @PathVariable String id,
            @RequestHeader(name = "Last-Event-ID", defaultValue = "0") String after,
            @RequestParam(defaultValue = "true") boolean follow,
            HttpServletResponse response) {
        Child child = inspection.child(caller, childId(id));
        events.write(child, parse(after, ChildController::eventId), follow, response);
    }

    /** The conversation so far, one JSON object a line. */
    @GetMapping("/{id}/transcript")
    @PreAuthorize("hasRole('OBSERVE')")
    void transcript(Caller caller, @PathVariable String id, HttpServletResponse response) throws IOException {
        Child child = inspection.withTranscript(caller, childId(id));
        response.setContentType("application/x-ndjson;charset=UTF-8");
        response.setHeader("Cache-Control", "no-store");
        transcript.write(child, response.getOutputStream());
    }

    @PostMapping("/{id}/cancel")
    @PreAuthorize("hasRole('SPAWN')")
    ResponseEntity<ChildResponse> cancel(
            Caller caller, @PathVariable String id, @RequestBody(required = false) @Nullable CancelRequest request) {
        String reason = request == null ? null : request.reason();
        return ResponseEntity.accepted().body(ChildResponse.of(inspection.cancel(caller, childId(id), reason)));
    }

    @PostMapping("/{id}/steer")
    @PreAuthorize("hasRole('SPAWN')")
    ResponseEntity<ChildResponse> steer(Caller caller, @PathVariable String id, @RequestBody SteerRequest request) {
        return ResponseEntity.accepted()
                .body(ChildResponse.of(inspection.steer(caller, childId(id), request.message())));
    }

    /** Starts a child that goes on with the conversation of this one. */
    @PostMapping("/{id}/resume")
    @PreAuthorize("hasRole('SPAWN')")
    ResponseEntity<ChildResponse> resume(
            Caller caller,
            @PathVariable String id,
            @RequestBody ResumeRequest request,
            @RequestHeader(name = "Idempotency-Key", required = false) @Nullable String key)
            throws InterruptedException {
        requireKey(key);
        return accepted(spawning.resume(caller, inspection.child(caller, childId(id)), request, key));
    }

    @GetMapping(path = "/{id}/diff", produces = "text/x-diff;charset=UTF-8")
    @PreAuthorize("hasRole('OBSERVE')")
    String diff(Caller caller, @PathVariable String id) {
        return inspection.diff(caller, childId(id));
    }

    @GetMapping("/{id}/changes")
    @PreAuthorize("hasRole('OBSERVE')")
    ChangesResponse changes(Caller caller, @PathVariable String id) {
        Inspection.Changes changes = inspection.changes(caller, childId(id));
        return new ChangesResponse(
                changes.base(),
                changes.tip(),
                changes.files().stream().map(FileResponse::of).toList());
    }

    static void requireKey(@Nullable String key) {
        if (key != null && (key.isBlank() || key.length() > LONGEST_KEY)) {
            throw new InvalidRequest("Idempotency-Key (expected: 1 to %d characters)".formatted(LONGEST_KEY));
        }
    }

    private static ChildId childId(String id) {
        return parse(id, ChildId::new);
    }

    private static Duration wait(String text) {
        Duration wait;
        try {
            wait = DurationStyle.detectAndParse(text);
        } catch (IllegalArgumentException | ArithmeticException e) {
            throw new IllegalArgumentException("wait: `%s` (expected: such as 30s)".formatted(text), e);
        }
        if (wait.isNegative() || wait.compareTo(LONGEST_WAIT) > 0) {
            throw new IllegalArgumentException("wait: `%s` (expected: 0s to 60s)".formatted(text));
        }
        return wait;
    }

    private static long eventId(String text) {
        try {
            return Long.parseUnsignedLong(text.strip());
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("Last-Event-ID: `%s` (expected: a number)".formatted(text), e);
        }
    }
}
