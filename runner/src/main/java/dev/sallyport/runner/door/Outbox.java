package dev.sallyport.runner.door;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * What the child has said and the gateway has not stored yet. Events get their numbers when they are first sent, are sent
 * again under the same numbers until acknowledged, and wait in bounded memory: when it is full, output is dropped, oldest
 * first, and an event says how much; whoever says anything else waits.
 */
public final class Outbox implements AutoCloseable {

    /** Characters of one batch, about. */
    private static final int BATCH = 256 * 1024;

    /** Events of one batch; the door takes a thousand. */
    private static final int MOST = 500;

    /** Output events of one stream are joined up to this size. */
    private static final int JOINED = 16 * 1024;

    /** Lets a chatty program fill a batch. */
    private static final Duration LINGER = Duration.ofMillis(20);

    private final Door door;
    private final int capacity;
    private final Thread sender;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    // guarded by lock
    private final Deque<Waiting> waiting = new ArrayDeque<>();
    private long waitingSize;
    private long dropped;
    private boolean sending;
    private boolean lost;

    // the sender's own
    private long sent;

    private record Waiting(Event event, int size) {

        Waiting(Event event) {
            // About what it weighs in JSON; exactness is not worth writing it twice.
            this(event, 64 + event.data().toString().length());
        }

        boolean output() {
            return event.type() == Event.Type.OUTPUT;
        }
    }

    /**
     * Starts sending.
     *
     * @param capacity characters of events in memory, about
     */
    public Outbox(Door door, int capacity) {
        this.door = door;
        this.capacity = capacity;
        this.sender = Thread.ofVirtual().name("outbox").start(this::send);
    }

    public void emit(Event event) throws InterruptedException {
        Waiting arrival = new Waiting(event);
        lock.lockInterruptibly();
        try {
            if (arrival.output()) {
                if (!joined(event)) {
                    add(arrival);
                }
                dropOutput();
            } else {
                while (waitingSize > 0 && waitingSize + arrival.size() > capacity && !lost) {
                    if (!dropOutput(arrival.size())) {
                        changed.await();
                    }
                }
                add(arrival);
            }
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Waits until everything is acknowledged.
     *
     * @return false if the door was lost before that
     */
    public boolean flush() throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (!empty() && !lost) {
                changed.await();
            }
            return !lost;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void close() {
        sender.interrupt();
    }

    private boolean empty() {
        return waiting.isEmpty() && dropped == 0 && !sending;
    }

    private void add(Waiting arrival) {
        waiting.add(arrival);
        waitingSize += arrival.size();
    }

    private boolean joined(Event event) {
        Waiting last = waiting.peekLast();
        if (last == null || last.size() > JOINED) {
            return false;
        }
        ObjectNode data = last.event().data();
        if (!data.path("stream").equals(event.data().path("stream"))) {
            return false;
        }
        waiting.removeLast();
        waitingSize -= last.size();
        add(new Waiting(Event.output(
                data.path("stream").asString(),
                data.path("text").asString() + event.data().path("text").asString())));
        return true;
    }

    private void dropOutput() {
        while (waitingSize > capacity && dropOutput(1)) {
            // one at a time
        }
    }

    /** Drops the oldest output until there is room for {@code size}; false if there is none to drop. */
    private boolean dropOutput(int size) {
        boolean any = false;
        for (var events = waiting.iterator(); events.hasNext() && waitingSize + size > capacity; ) {
            Waiting next = events.next();
            if (next.output()) {
                events.remove();
                waitingSize -= next.size();
                dropped += next.event().data().path("text").asString().length();
                any = true;
            }
        }
        return any;
    }

    private void send() {
        try {
            while (true) {
                awaitEvents();
                door.report(take());
                done(false);
            }
        } catch (IOException | InterruptedException e) {
            done(true);
        }
    }

    private void awaitEvents() throws InterruptedException {
        boolean chatter;
        lock.lockInterruptibly();
        try {
            while (waiting.isEmpty() && dropped == 0) {
                changed.await();
            }
            chatter = waiting.stream().allMatch(Waiting::output);
        } finally {
            lock.unlock();
        }
        if (chatter) {
            Thread.sleep(LINGER);
        }
    }

    private List<ObjectNode> take() throws InterruptedException {
        lock.lockInterruptibly();
        try {
            List<ObjectNode> batch = new ArrayList<>();
            if (dropped > 0) {
                batch.add(Event.output("stderr", "[%d characters of output dropped here]\n".formatted(dropped))
                        .numbered(++sent));
                dropped = 0;
            }
            int size = 0;
            while (!waiting.isEmpty()
                    && batch.size() < MOST
                    && (size == 0 || size + waiting.peek().size() <= BATCH)) {
                Waiting next = waiting.remove();
                size += next.size();
                waitingSize -= next.size();
                batch.add(next.event().numbered(++sent));
            }
            sending = true;
            return batch;
        } finally {
            lock.unlock();
        }
    }

    private void done(boolean lost) {
        lock.lock();
        try {
            sending = false;
            this.lost |= lost;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    static byte[] json(List<ObjectNode> batch) {
        ObjectNode body = Json.object();
        ArrayNode events = body.putArray("events");
        batch.forEach(events::add);
        return Json.bytes(body);
    }
}
