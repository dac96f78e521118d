package dev.sallyport.gateway.memory;

import static dev.sallyport.service.IllegalValueException.parse;

import dev.sallyport.gateway.error.GatewayException.InvalidRequest;
import dev.sallyport.gateway.error.GatewayException.MemoryNotFound;
import dev.sallyport.gateway.error.GatewayException.MemoryNotYours;
import dev.sallyport.gateway.error.GatewayException.MemoryVersionNotFound;
import dev.sallyport.gateway.memory.Memories.Memory;
import dev.sallyport.gateway.memory.Memories.Version;
import dev.sallyport.identity.MemoryId;
import dev.sallyport.identity.Role;
import dev.sallyport.service.Caller;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.security.access.prepost.PreAuthorize;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/**
 * What people see of memories and do to them. INVARIANT: every method begins by finding the memory for this caller; one that
 * is not theirs is not there.
 */
@RestController
@RequestMapping("/v1/memories")
class MemoryController {

    private final Memories memories;

    MemoryController(Memories memories) {
        this.memories = memories;
    }

    record MemoryList(List<MemoryResponse> memories) {}

    /**
     * @param version that the next child gets
     * @param latest the newest; greater where it is in conflict
     * @param conflicts versions in conflict since a person last chose
     */
    record MemoryResponse(
            String id,
            String agent,
            String scope,
            @Nullable String project,
            String owner,
            int version,
            int latest,
            int bytes,
            long conflicts,
            Instant changedAt) {

        static MemoryResponse of(Memory memory) {
            return new MemoryResponse(
                    memory.id().value(),
                    memory.key().agent(),
                    memory.key().scope().wire(),
                    memory.key().project(),
                    memory.key().owner(),
                    memory.version(),
                    memory.latest(),
                    memory.bytes(),
                    memory.conflicts(),
                    memory.at());
        }
    }

    record VersionList(MemoryResponse memory, List<VersionResponse> versions) {}

    /**
     * @param base version that its author had before; 0 for none
     * @param child that wrote it, as its text says nothing to be relied on
     * @param principal who went back to {@code base}; either this or {@code child}
     * @param conflict kept, and not in effect
     */
    record VersionResponse(
            int version,
            int base,
            Instant at,
            @Nullable String child,
            @Nullable String principal,
            boolean conflict,
            int bytes) {

        static VersionResponse of(Version version) {
            return new VersionResponse(
                    version.version(),
                    version.base(),
                    version.at(),
                    version.child(),
                    version.principal(),
                    version.conflict(),
                    version.bytes());
        }
    }

    record ContentResponse(MemoryResponse memory, int version, List<FileResponse> files) {}

    record FileResponse(String path, String content) {}

    record RevertRequest(@Nullable Integer version) {}

    @GetMapping
    @PreAuthorize("hasRole('OBSERVE')")
    MemoryList list(Caller caller) {
        return new MemoryList(memories.list(caller.tenant(), operates(caller) ? null : caller.principal()).stream()
                .map(MemoryResponse::of)
                .toList());
    }

    /** @param version the one in effect if it is left out */
    @GetMapping("/{id}")
    @PreAuthorize("hasRole('OBSERVE')")
    ContentResponse show(
            Caller caller, @PathVariable String id, @RequestParam(required = false) @Nullable Integer version) {
        Memory memory = memory(caller, id);
        int shown = version == null ? memory.version() : version;
        return new ContentResponse(
                MemoryResponse.of(memory),
                shown,
                files(memory, shown).texts().entrySet().stream()
                        .map(file -> new FileResponse(file.getKey(), file.getValue()))
                        .toList());
    }

    @GetMapping("/{id}/versions")
    @PreAuthorize("hasRole('OBSERVE')")
    VersionList versions(Caller caller, @PathVariable String id) {
        Memory memory = memory(caller, id);
        return new VersionList(
                MemoryResponse.of(memory),
                memories.versions(memory.id()).stream().map(VersionResponse::of).toList());
    }

    /**
     * @param from what the author of the other had before, if it is left out
     * @param to the one in effect if it is left out
     */
    @GetMapping(path = "/{id}/diff", produces = "text/x-diff;charset=UTF-8")
    @PreAuthorize("hasRole('OBSERVE')")
    String diff(
            Caller caller,
            @PathVariable String id,
            @RequestParam(required = false) @Nullable Integer from,
            @RequestParam(required = false) @Nullable Integer to) {
        Memory memory = memory(caller, id);
        int after = to == null ? memory.version() : to;
        int before = from == null ? before(memory, after) : from;
        return TextDiff.of(files(memory, before), files(memory, after));
    }

    private int before(Memory memory, int version) {
        return memories.versions(memory.id()).stream()
                .filter(one -> one.version() == version)
                .findFirst()
                // Who went back changed what was in effect, which is the version before.
                .map(one -> one.principal() == null ? one.base() : version - 1)
                .orElseThrow(() -> new MemoryVersionNotFound(memory.id(), version));
    }

    @PostMapping("/{id}/revert")
    @PreAuthorize("hasAnyRole('OBSERVE', 'OPERATE')")
    MemoryResponse revert(Caller caller, @PathVariable String id, @RequestBody RevertRequest request) {
        Memory memory = own(caller, id);
        Integer version = request.version();
        if (version == null) {
            throw new InvalidRequest("version (expected: one of the memory's versions)");
        }
        if (!memories.revert(memory.id(), version, caller.principal())) {
            throw new MemoryVersionNotFound(memory.id(), version);
        }
        return MemoryResponse.of(memory(caller, id));
    }

    @DeleteMapping("/{id}")
    @ResponseStatus(HttpStatus.NO_CONTENT)
    @PreAuthorize("hasAnyRole('OBSERVE', 'OPERATE')")
    void delete(Caller caller, @PathVariable String id) {
        memories.delete(own(caller, id).id());
    }

    private Memory memory(Caller caller, String text) {
        MemoryId id = parse(text, MemoryId::new);
        return memories.find(id)
                .filter(memory -> memory.key().tenant().equals(caller.tenant()))
                .filter(memory -> operates(caller) || memory.key().owner().equals(caller.principal()))
                .orElseThrow(() -> new MemoryNotFound(id));
    }

    /** A session is an agent itself: it reads what its user's agents remember, and changes none of it. */
    private Memory own(Caller caller, String text) {
        Memory memory = memory(caller, text);
        if (caller.kind() != Caller.Kind.PERSON) {
            throw new MemoryNotYours(memory.id());
        }
        return memory;
    }

    private static boolean operates(Caller caller) {
        return caller.kind() == Caller.Kind.PERSON && caller.has(Role.OPERATE);
    }

    /** Of version 0 there is nothing. */
    private MemoryFiles files(Memory memory, int version) {
        return version == 0
                ? MemoryFiles.NONE
                : memories.files(memory.id(), version)
                        .orElseThrow(() -> new MemoryVersionNotFound(memory.id(), version));
    }
}
