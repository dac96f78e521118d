package dev.sallyport.gateway.child;

import dev.sallyport.authority.Authority;
import dev.sallyport.gateway.door.DoorProblem;
import dev.sallyport.gateway.door.KeptMemory;
import dev.sallyport.gateway.memory.Memories;
import dev.sallyport.gateway.memory.Memories.Outcome;
import dev.sallyport.gateway.memory.Memories.Recalled;
import dev.sallyport.gateway.memory.MemoryFiles;
import dev.sallyport.gateway.memory.MemoryKey;
import dev.sallyport.gateway.memory.MemoryRefusedException;
import dev.sallyport.identity.MemoryId;
import dev.sallyport.identity.Tenant;
import dev.sallyport.memory.MemoryAccess;
import dev.sallyport.memory.MemoryGrant;
import dev.sallyport.memory.MemoryIndex;
import java.nio.file.Path;
import java.util.Optional;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/** What a child remembers of earlier runs of its agent, and what it leaves to later ones (P10). */
final class Remembering {

    /** Where in the sandbox the copy is: in the child's home, for a workspace may be read-only or part of the result. */
    static final String DIRECTORY = "/home/agent/memory";

    private final Memories memories;
    private final Timeline timeline;
    private final JsonMapper json;

    Remembering(Memories memories, Timeline timeline, JsonMapper json) {
        this.memories = memories;
        this.timeline = timeline;
        this.json = json;
    }

    /**
     * What a child that is taken in now gets.
     *
     * @param prompt what it is told of it
     */
    record Given(Terms.Memory memory, String prompt) {}

    /** @param project top of what the child works on; null for nothing */
    Given recall(Tenant tenant, String owner, MemoryGrant grant, Authority authority, @Nullable Path project) {
        String place = grant.ofProject() ? String.valueOf(project) : null;
        Recalled recalled = memories.recall(new MemoryKey(tenant, owner, grant.scope(), place, authority.agent()));
        MemoryId id = recalled.id();
        String index = recalled.files().text(MemoryIndex.FILE);
        return new Given(
                new Terms.Memory(
                        grant.scope(), grant.access(), place, id == null ? null : id.value(), recalled.version()),
                switch (grant.access()) {
                    case READ_WRITE -> MemoryIndex.readWrite(DIRECTORY, grant.scope(), index);
                    case READ_ONLY -> MemoryIndex.readOnly(grant.scope(), index);
                });
    }

    /** Of the version that its prompt tells of, whatever was written since; nothing of what a person has removed. */
    Optional<SortedMap<String, String>> copy(Child child) {
        return Optional.ofNullable(child.terms().memory())
                .map(memory -> had(memory).files().texts());
    }

    private Recalled had(Terms.Memory memory) {
        MemoryId id = memory.id() == null ? null : new MemoryId(memory.id());
        MemoryFiles files = id == null
                ? MemoryFiles.NONE
                : memories.files(id, memory.version()).orElse(MemoryFiles.NONE);
        return new Recalled(id, memory.version(), files);
    }

    /** Whose memory it is, the child's row says, and nothing that it sends. */
    KeptMemory keep(Child child, SortedMap<String, String> texts) {
        Terms.Memory memory = child.terms().memory();
        if (memory == null) {
            throw new DoorProblem(404, "no-memory", "this child has no memory");
        }
        if (memory.access() != MemoryAccess.READ_WRITE) {
            throw refused(child, "memory-read-only", "this child may read its memory only");
        }
        var key = new MemoryKey(
                child.tenant(),
                child.owner(),
                memory.scope(),
                memory.project(),
                child.terms().agent());
        try {
            Memories.Kept kept =
                    memories.keep(key, had(memory), child.id(), child.incarnation(), MemoryFiles.checked(texts));
            if (kept.outcome() != Outcome.UNCHANGED) {
                timeline.fact(
                        child.id(),
                        "memory-kept",
                        json.createObjectNode()
                                .put("memory", String.valueOf(kept.id()))
                                .put("version", kept.version())
                                .put("base", memory.version())
                                .put("outcome", kept.outcome().wire()));
            }
            return new KeptMemory(kept.version(), kept.outcome().wire());
        } catch (MemoryRefusedException e) {
            throw refused(child, e.code(), String.valueOf(e.getMessage()));
        }
    }

    private DoorProblem refused(Child child, String code, String detail) {
        timeline.fact(
                child.id(),
                "memory-refused",
                json.createObjectNode().put("code", code).put("detail", detail));
        return new DoorProblem(422, code, detail);
    }
}
