package dev.sallyport.gateway.catalogue;

import dev.sallyport.gateway.catalogue.Trusts.Trust;
import dev.sallyport.gateway.error.GatewayException.InvalidRequest;
import dev.sallyport.gateway.error.GatewayException.ProjectChanged;
import dev.sallyport.gateway.error.GatewayException.TrustNotFound;
import dev.sallyport.project.Project;
import dev.sallyport.service.Caller;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.security.access.prepost.PreAuthorize;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/** Who trusts a project, and what they would trust (P6). Trusting approves in advance: only who may approve does it (S23). */
@RestController
@RequestMapping("/v1/trust")
class TrustController {

    private final Catalogue catalogue;
    private final Trusts trusts;

    TrustController(Catalogue catalogue, Trusts trusts) {
        this.catalogue = catalogue;
        this.trusts = trusts;
    }

    record TrustList(List<TrustResponse> trusted) {}

    record TrustResponse(String directory, String digest, Instant trustedAt) {

        static TrustResponse of(Trust trust) {
            return new TrustResponse(trust.directory(), trust.digest(), trust.at());
        }
    }

    /** @param digest the one that the person was shown */
    record TrustRequest(
            @Nullable String directory, @Nullable String digest) {}

    /**
     * A project as it is now.
     *
     * @param state `untrusted`, `changed` or `trusted`
     * @param digest over all files
     * @param removed paths of what was trusted and is gone
     */
    record ProjectResponse(
            String directory,
            String state,
            String digest,
            List<FileResponse> files,
            List<String> removed,
            List<String> warnings) {}

    /**
     * Something that counts once it is trusted.
     *
     * @param change since it was trusted: `same`, `changed` or `new`
     */
    record FileResponse(String path, String kind, String digest, String says, String change) {

        static FileResponse of(Project.Entry entry, Map<String, String> before) {
            String old = before.get(entry.path());
            return new FileResponse(
                    entry.path(),
                    entry.kind().wire(),
                    entry.digest(),
                    entry.says(),
                    old == null ? "new" : old.equals(entry.digest()) ? "same" : "changed");
        }
    }

    @GetMapping
    @PreAuthorize("hasRole('OBSERVE')")
    TrustList list(Caller caller) {
        return new TrustList(
                trusts.of(user(caller)).stream().map(TrustResponse::of).toList());
    }

    @GetMapping("/project")
    @PreAuthorize("hasRole('OBSERVE')")
    ProjectResponse show(Caller caller, @RequestParam String directory) {
        Path path = directory(directory);
        Project project = catalogue.look(user(caller), path);
        Project.Whole whole = whole(project);
        Map<String, String> before =
                trusts.of(user(caller), path).map(Trust::files).orElse(Map.of());
        List<String> now = whole.entries().stream().map(Project.Entry::path).toList();
        return new ProjectResponse(
                path.toString(),
                project.registry().trust().state().wire(),
                whole.digest(),
                whole.entries().stream()
                        .map(entry -> FileResponse.of(entry, before))
                        .toList(),
                before.keySet().stream().filter(old -> !now.contains(old)).toList(),
                whole.extensions().problems());
    }

    @PostMapping
    @ResponseStatus(HttpStatus.CREATED)
    @PreAuthorize("hasRole('APPROVE')")
    TrustResponse trust(Caller caller, @RequestBody TrustRequest request) {
        if (request.digest() == null) {
            throw new InvalidRequest("digest: nothing (expected: that of the files that were looked at)");
        }
        Path path = directory(request.directory());
        Project.Whole whole = whole(catalogue.look(user(caller), path));
        if (whole.entries().isEmpty()) {
            throw new InvalidRequest("directory: `%s` has nothing to trust".formatted(path));
        }
        if (!whole.digest().equals(request.digest())) {
            throw new ProjectChanged(path.toString());
        }
        return TrustResponse.of(trusts.add(user(caller), path, whole));
    }

    /** By the name that the list shows: a directory that is gone can still be revoked. */
    @DeleteMapping
    @ResponseStatus(HttpStatus.NO_CONTENT)
    @PreAuthorize("hasRole('APPROVE')")
    void revoke(Caller caller, @RequestParam String directory) {
        if (!trusts.end(user(caller), directory)) {
            throw new TrustNotFound(directory);
        }
    }

    private Path directory(@Nullable String text) {
        return Optional.ofNullable(text)
                .flatMap(catalogue::directory)
                .orElseThrow(() -> new InvalidRequest("directory: nothing (expected: a path)"));
    }

    private static Project.Whole whole(Project project) {
        try {
            return project.whole();
        } catch (IOException e) {
            throw new InvalidRequest(
                    "project `%s` can not be trusted: %s".formatted(project.directory(), e.getMessage()));
        }
    }

    private static Trusts.User user(Caller caller) {
        return new Trusts.User(caller.tenant(), caller.principal());
    }
}
