package dev.sallyport.gateway.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.gateway.TestDatabase;
import dev.sallyport.gateway.memory.Memories.Outcome;
import dev.sallyport.gateway.memory.Memories.Recalled;
import dev.sallyport.gateway.memory.Memories.Version;
import dev.sallyport.identity.ChildId;
import dev.sallyport.identity.MemoryId;
import dev.sallyport.identity.Tenant;
import dev.sallyport.memory.MemoryScope;
import dev.sallyport.testing.MutableClock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;
import tools.jackson.databind.json.JsonMapper;

/** P10: versions only ever come to the others, and nothing that a child wrote is lost to another child. */
class MemoriesTest {

    private static final MemoryKey KEY =
            new MemoryKey(Tenant.DEFAULT, "alice", MemoryScope.PROJECT, "/proj/p", "keeper");

    private final DataSource database = TestDatabase.empty();
    private final JdbcClient db = JdbcClient.create(database);
    private final Random random = new Random(1);
    private final Memories memories = new Memories(
            db,
            new TransactionTemplate(new DataSourceTransactionManager(database)),
            random,
            new MutableClock(Instant.parse("2026-06-01T12:00:00Z")),
            new JsonMapper());

    private ChildId child() {
        return ChildId.random(random);
    }

    private static MemoryFiles files(String... namesAndTexts) throws MemoryRefusedException {
        Map<String, String> files = new java.util.TreeMap<>();
        for (int i = 0; i < namesAndTexts.length; i += 2) {
            files.put(namesAndTexts[i], namesAndTexts[i + 1]);
        }
        return MemoryFiles.checked(files);
    }

    private Memories.Kept keep(Recalled had, MemoryFiles sent) throws MemoryRefusedException {
        return memories.keep(KEY, had, child(), 1, sent);
    }

    private List<String> versions(MemoryId id) {
        return memories.versions(id).stream()
                .map(version -> "%d of %d%s"
                        .formatted(version.version(), version.base(), version.conflict() ? " conflict" : ""))
                .toList();
    }

    @Test
    void thereIsNoneUntilSomethingIsWritten() throws Exception {
        assertThat(memories.recall(KEY)).isEqualTo(Recalled.NOTHING);

        Memories.Kept kept = keep(Recalled.NOTHING, files("MEMORY.md", "one\n"));

        assertThat(kept.version()).isEqualTo(1);
        assertThat(kept.outcome()).isEqualTo(Outcome.KEPT);
        assertThat(memories.recall(KEY)).isEqualTo(new Recalled(kept.id(), 1, files("MEMORY.md", "one\n")));
    }

    @Test
    void whoeverChangedNothingWritesNothing() throws Exception {
        keep(Recalled.NOTHING, files("MEMORY.md", "one\n"));

        Memories.Kept kept = keep(memories.recall(KEY), files("MEMORY.md", "one\n"));

        assertThat(kept.outcome()).isEqualTo(Outcome.UNCHANGED);
        assertThat(versions(kept.id())).containsExactly("1 of 0");
        assertThat(keep(Recalled.NOTHING, MemoryFiles.NONE).outcome()).isEqualTo(Outcome.UNCHANGED);
    }

    @Test
    void everyOtherKeyIsAnotherMemory() throws Exception {
        keep(Recalled.NOTHING, files("MEMORY.md", "one\n"));

        for (MemoryKey other : List.of(
                new MemoryKey(new Tenant("other"), "alice", MemoryScope.PROJECT, "/proj/p", "keeper"),
                new MemoryKey(Tenant.DEFAULT, "bob", MemoryScope.PROJECT, "/proj/p", "keeper"),
                new MemoryKey(Tenant.DEFAULT, "alice", MemoryScope.LOCAL, "/proj/p", "keeper"),
                new MemoryKey(Tenant.DEFAULT, "alice", MemoryScope.PROJECT, "/proj/q", "keeper"),
                new MemoryKey(Tenant.DEFAULT, "alice", MemoryScope.PROJECT, null, "keeper"),
                new MemoryKey(Tenant.DEFAULT, "alice", MemoryScope.PROJECT, "/proj/p", "Keeper"))) {
            assertThat(memories.recall(other)).as("%s", other).isEqualTo(Recalled.NOTHING);
        }
        assertThat(memories.list(new Tenant("other"), null)).isEmpty();
        assertThat(memories.list(Tenant.DEFAULT, "bob")).isEmpty();
        assertThat(memories.list(Tenant.DEFAULT, "alice")).hasSize(1);
        assertThat(memories.list(Tenant.DEFAULT, null)).hasSize(1);
    }

    @Test
    void twoThatChangedDifferentFilesArePutTogether() throws Exception {
        keep(Recalled.NOTHING, files("MEMORY.md", "one\n", "old.md", "x"));
        Recalled had = memories.recall(KEY);
        keep(had, files("MEMORY.md", "one\n", "old.md", "x", "a.md", "a"));

        Memories.Kept later = keep(had, files("MEMORY.md", "two\n"));

        assertThat(later.outcome()).isEqualTo(Outcome.MERGED);
        assertThat(memories.recall(KEY).files()).isEqualTo(files("MEMORY.md", "two\n", "a.md", "a"));
        assertThat(versions(later.id())).containsExactly("3 of 1", "2 of 1", "1 of 0");
    }

    /** The later one may not take the earlier one's place unseen; neither is lost. */
    @Test
    void twoThatChangedTheSameFileAreAConflict() throws Exception {
        keep(Recalled.NOTHING, files("MEMORY.md", "one\n"));
        Recalled had = memories.recall(KEY);
        keep(had, files("MEMORY.md", "one\ntwo\n"));

        Memories.Kept later = keep(had, files("MEMORY.md", "one\n2\n"));

        MemoryId id = later.id();
        assertThat(later.outcome()).isEqualTo(Outcome.CONFLICT);
        assertThat(memories.recall(KEY).version()).isEqualTo(2);
        assertThat(memories.files(id, 2)).contains(files("MEMORY.md", "one\ntwo\n"));
        assertThat(memories.files(id, 3)).contains(files("MEMORY.md", "one\n2\n"));
        assertThat(versions(id)).containsExactly("3 of 1 conflict", "2 of 1", "1 of 0");
        assertThat(memories.find(id).orElseThrow().conflicts()).isEqualTo(1);

        assertThat(memories.revert(id, 3, "alice")).isTrue();

        assertThat(memories.recall(KEY)).isEqualTo(new Recalled(id, 4, files("MEMORY.md", "one\n2\n")));
        assertThat(memories.find(id).orElseThrow().conflicts()).isZero();
    }

    @Test
    void firstVersionsOfTwoChildrenConflictToo() throws Exception {
        keep(Recalled.NOTHING, files("MEMORY.md", "one\n"));

        assertThat(keep(Recalled.NOTHING, files("MEMORY.md", "1\n")).outcome()).isEqualTo(Outcome.CONFLICT);
        assertThat(memories.recall(KEY).files()).isEqualTo(files("MEMORY.md", "one\n"));
    }

    @Test
    void manyAtOnceLoseNothing() throws Exception {
        keep(Recalled.NOTHING, files("MEMORY.md", "one\n"));
        Recalled had = memories.recall(KEY);
        List<Future<Memories.Kept>> all = new ArrayList<>();

        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < 16; i++) {
                MemoryFiles sent = files("MEMORY.md", "one\n", "f" + i + ".md", "by " + i, "same.md", "by " + i);
                ChildId child = child();
                all.add(threads.submit(() -> memories.keep(KEY, had, child, 1, sent)));
            }
        }

        List<Outcome> outcomes = new ArrayList<>();
        for (Future<Memories.Kept> one : all) {
            outcomes.add(one.get().outcome());
        }
        assertThat(outcomes)
                .containsOnlyOnce(Outcome.KEPT)
                .filteredOn(Outcome.CONFLICT::equals)
                .hasSize(15);
        assertThat(memories.versions(had.id())).hasSize(17);
        for (int i = 0; i < 16; i++) {
            String name = "f" + i + ".md";
            assertThat(memories.versions(had.id()))
                    .anySatisfy(version -> assertThat(memories.files(had.id(), version.version())
                                    .orElseThrow()
                                    .text(name))
                            .isNotNull());
        }
    }

    @Test
    void theSameAgainIsTheSameVersion() throws Exception {
        ChildId child = child();
        MemoryFiles sent = files("MEMORY.md", "one\n");
        Memories.Kept first = memories.keep(KEY, Recalled.NOTHING, child, 1, sent);

        assertThat(memories.keep(KEY, Recalled.NOTHING, child, 1, sent)).isEqualTo(first);
        assertThat(versions(first.id())).hasSize(1);
    }

    /** Else one child could push out all that others wrote. */
    @Test
    void oneRunWritesOneVersion() throws Exception {
        ChildId child = child();
        memories.keep(KEY, Recalled.NOTHING, child, 1, files("MEMORY.md", "one\n"));

        assertThatThrownBy(() -> memories.keep(KEY, Recalled.NOTHING, child, 1, files("MEMORY.md", "two\n")))
                .isInstanceOf(MemoryRefusedException.class)
                .hasMessage("this child has written its memory already");
        assertThat(memories.recall(KEY).files()).isEqualTo(files("MEMORY.md", "one\n"));
        assertThat(memories.keep(KEY, memories.recall(KEY), child, 2, files("MEMORY.md", "two\n"))
                        .version())
                .isEqualTo(2);
    }

    @Test
    void goingBackIsAVersionToo() throws Exception {
        keep(Recalled.NOTHING, files("MEMORY.md", "one\n"));
        MemoryId id = keep(memories.recall(KEY), files("MEMORY.md", "poison\n")).id();

        assertThat(memories.revert(id, 1, "alice")).isTrue();

        assertThat(memories.recall(KEY)).isEqualTo(new Recalled(id, 3, files("MEMORY.md", "one\n")));
        Version last = memories.versions(id).getFirst();
        assertThat(last.principal()).isEqualTo("alice");
        assertThat(last.child()).isNull();
        assertThat(memories.files(id, 2)).contains(files("MEMORY.md", "poison\n"));
        assertThat(memories.revert(id, 9, "alice")).isFalse();
        assertThat(memories.revert(MemoryId.random(random), 1, "alice")).isFalse();
    }

    @Test
    void whatAPersonRemovedDoesNotComeBackWithAChildThatHadACopy() throws Exception {
        keep(Recalled.NOTHING, files("MEMORY.md", "one\n"));
        Recalled had = memories.recall(KEY);
        assertThat(memories.delete(had.id())).isTrue();
        assertThat(memories.delete(had.id())).isFalse();

        assertThatThrownBy(() -> keep(had, files("MEMORY.md", "one\ntwo\n")))
                .isInstanceOf(MemoryRefusedException.class)
                .hasMessage("the memory was deleted while the child ran");
        keep(Recalled.NOTHING, files("MEMORY.md", "new\n"));
        assertThatThrownBy(() -> keep(had, files("MEMORY.md", "one\ntwo\n")))
                .isInstanceOf(MemoryRefusedException.class);
        assertThat(memories.recall(KEY).files()).isEqualTo(files("MEMORY.md", "new\n"));
    }

    @Test
    void theDatabaseItselfLetsNoVersionChange() throws Exception {
        MemoryId id = keep(Recalled.NOTHING, files("MEMORY.md", "one\n")).id();

        assertThatThrownBy(() -> db.sql("update memory_version set files = '{}' where memory = ?")
                        .param(id.value())
                        .update())
                .isInstanceOf(DataAccessException.class)
                .hasMessageContaining("a version of a memory never changes");
    }

    @Test
    void ofManyVersionsTheNewestAreKeptAndTheOneInEffect() throws Exception {
        MemoryId id = keep(Recalled.NOTHING, files("MEMORY.md", "0")).id();
        Recalled first = memories.recall(KEY);
        keep(first, files("MEMORY.md", "in effect"));

        for (int i = 0; i < Memories.KEPT + 5; i++) {
            keep(first, files("MEMORY.md", "other " + i));
        }

        assertThat(memories.versions(id)).hasSize(Memories.KEPT + 1);
        assertThat(memories.recall(KEY)).isEqualTo(new Recalled(id, 2, files("MEMORY.md", "in effect")));
        assertThat(memories.files(id, 1)).isEmpty();
        assertThat(memories.find(id).orElseThrow().latest()).isEqualTo(Memories.KEPT + 7);
    }
}
