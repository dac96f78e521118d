package dev.sallyport.cli;

import dev.sallyport.identity.ChildId;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** Cancels the children that somebody waits for when that wait is interrupted (Ctrl-C, or the terminal closes). */
final class CancelOnInterrupt implements AutoCloseable {

    private static final int SPAWN_SECONDS = 5;

    private final Connection connection;
    private final Output output;
    private final List<ChildId> children = new CopyOnWriteArrayList<>();
    private final Semaphore idle = new Semaphore(1);
    private final Thread hook = new Thread(this::cancelAll, "cancel-on-interrupt");

    CancelOnInterrupt(Connection connection, Output output) {
        this.connection = connection;
        this.output = output;
        Runtime.getRuntime().addShutdownHook(hook);
    }

    /** Spawns a child so that an interruption in between does not leave it running. */
    Json watch(Supplier<Json> spawn) {
        return watchAll(() -> List.of(spawn.get())).getFirst();
    }

    /** The same for several at once. */
    List<Json> watchAll(Supplier<List<Json>> spawn) {
        idle.acquireUninterruptibly();
        try {
            List<Json> spawned = spawn.get();
            spawned.forEach(child -> children.add(new ChildId(child.text("id"))));
            return spawned;
        } finally {
            idle.release();
        }
    }

    void ended(ChildId child) {
        children.remove(child);
    }

    /** From now on an interruption cancels nothing. */
    @Override
    public void close() {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            // It is being interrupted right now, and the hook does its work.
        }
    }

    private void cancelAll() {
        try {
            if (!idle.tryAcquire(SPAWN_SECONDS, TimeUnit.SECONDS)) {
                output.note(
                        "sallyport: interrupted while a child was being started; `sallyport ps` shows whether it runs");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        for (ChildId child : children) {
            try {
                connection
                        .gateway()
                        .post(Api.path("/v1/children/{}/cancel", child), Json.object("reason", "interrupted"));
                output.note("sallyport: cancelled child " + child);
            } catch (Failure failure) {
                output.failure(failure);
            }
        }
    }
}
