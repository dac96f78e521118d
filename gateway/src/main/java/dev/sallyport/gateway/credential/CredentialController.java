package dev.sallyport.gateway.credential;

import dev.sallyport.containment.CredentialScope;
import dev.sallyport.gateway.error.GatewayException.CredentialNotFound;
import dev.sallyport.gateway.error.GatewayException.InvalidRequest;
import dev.sallyport.service.Caller;
import dev.sallyport.service.IllegalValueException;
import java.util.List;
import java.util.Set;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.security.access.prepost.PreAuthorize;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/** Values go in and never come out: there is no route that shows one. */
@RestController
@RequestMapping("/v1/credentials")
class CredentialController {

    private static final int LONGEST = 4096;

    private final StoredCredentials credentials;
    private final CredentialHosts hosts;

    CredentialController(StoredCredentials credentials, CredentialHosts hosts) {
        this.credentials = credentials;
        this.hosts = hosts;
    }

    record CredentialList(List<CredentialSummary> credentials) {}

    /** @param hosts the only ones it is ever sent to */
    record CredentialSummary(String name, List<String> hosts) {}

    @GetMapping
    @PreAuthorize("hasRole('OBSERVE')")
    CredentialList list(Caller caller) {
        return new CredentialList(credentials.names(caller.tenant()).stream()
                .map(name -> new CredentialSummary(name, hosts.of(name)))
                .toList());
    }

    @PutMapping(path = "/{name}", consumes = MediaType.TEXT_PLAIN_VALUE)
    @ResponseStatus(HttpStatus.NO_CONTENT)
    @PreAuthorize("hasRole('OPERATE')")
    void put(Caller caller, @PathVariable String name, @RequestBody String value) {
        String secret = value.strip();
        if (secret.isEmpty() || secret.length() > LONGEST || secret.chars().anyMatch(c -> c < ' ' || c > '~')) {
            throw new InvalidRequest("credential `%s` (expected: one line of 1 to %d visible characters)"
                    .formatted(checked(name), LONGEST));
        }
        credentials.put(caller.tenant(), checked(name), secret);
    }

    @DeleteMapping("/{name}")
    @ResponseStatus(HttpStatus.NO_CONTENT)
    @PreAuthorize("hasRole('OPERATE')")
    void remove(Caller caller, @PathVariable String name) {
        if (!credentials.remove(caller.tenant(), checked(name))) {
            throw new CredentialNotFound(name);
        }
    }

    private static String checked(String name) {
        return IllegalValueException.parse(name, text -> {
            CredentialScope.of(Set.of(text));
            return text;
        });
    }
}
