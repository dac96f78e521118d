package dev.sallyport.gateway.child;

import dev.sallyport.gateway.child.ChildController.ChildList;
import dev.sallyport.service.Caller;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.http.ResponseEntity;
import org.springframework.security.access.prepost.PreAuthorize;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RestController;

@RestController
class BatchController {

    private final Spawning spawning;

    BatchController(Spawning spawning) {
        this.spawning = spawning;
    }

    record BatchRequest(@Nullable String session, @Nullable List<SpawnRequest> children) {}

    /** All or none; answers before any of them has begun. */
    @PostMapping("/v1/children:batch")
    @PreAuthorize("hasRole('SPAWN')")
    ResponseEntity<ChildList> batch(
            Caller caller,
            @RequestBody BatchRequest request,
            @RequestHeader(name = "Idempotency-Key", required = false) @Nullable String key) {
        ChildController.requireKey(key);
        List<SpawnRequest> children = request.children() == null ? List.of() : request.children();
        return ResponseEntity.accepted()
                .body(new ChildList(spawning.batch(caller, request.session(), children, key).stream()
                        .map(ChildResponse::of)
                        .toList()));
    }
}
