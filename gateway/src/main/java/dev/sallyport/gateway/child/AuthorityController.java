package dev.sallyport.gateway.child;

import dev.sallyport.authority.Outcome;
import dev.sallyport.service.Caller;
import org.springframework.http.MediaType;
import org.springframework.security.access.prepost.PreAuthorize;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;
import tools.jackson.databind.json.JsonMapper;

/** What a spawn would be given, without spawning. */
@RestController
@PreAuthorize("hasRole('SPAWN')")
class AuthorityController {

    private final Spawning spawning;
    private final JsonMapper json;

    AuthorityController(Spawning spawning, JsonMapper json) {
        this.spawning = spawning;
        this.json = json;
    }

    @PostMapping(path = "/v1/authority:resolve", produces = MediaType.APPLICATION_JSON_VALUE)
    ResolutionResponse resolve(Caller caller, @RequestBody SpawnRequest request) {
        return ResolutionResponse.of(spawning.resolve(caller, request).outcome(), json);
    }

    @PostMapping(path = "/v1/authority:resolve", produces = MediaType.TEXT_PLAIN_VALUE)
    String explain(Caller caller, @RequestBody SpawnRequest request) {
        Outcome outcome = spawning.resolve(caller, request).outcome();
        String table = outcome.explanation().render();
        return switch (outcome) {
            case Outcome.Granted _ -> table;
            case Outcome.Refused refused ->
                "%srefused: %s: %s\n".formatted(table, refused.code(), String.join("; ", refused.reasons()));
        };
    }
}
