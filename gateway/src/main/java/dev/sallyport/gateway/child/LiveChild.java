package dev.sallyport.gateway.child;

import dev.sallyport.identity.CallId;
import dev.sallyport.text.VisibleText;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** A child that has not ended, and what only this process knows of it. Everything else is in its row. */
final class LiveChild {

    private static final int LONGEST_NAME = 128;

    private final Children children;
    private final Signal news = new Signal();
    private final Signal orders = new Signal();
    private final ReentrantLock lock = new ReentrantLock();

    /** Calls that wait for a person, and until when that is believed without hearing of them again. */
    private final Map<CallId, Instant> asked = new HashMap<>();

    private volatile Child child;
    private volatile ChildState state;
    private volatile @Nullable Deadline deadline;
    private volatile boolean abandoned;
    private @Nullable Ending ending;
    private @Nullable Thread life;
    private volatile boolean doorServes;
    private @Nullable Evidence evidence;
    private boolean claimed;
    private volatile ChildTools tools;

    LiveChild(Child child, Children children) {
        this.child = child;
        this.children = children;
        this.state = child.state();
        Instant until = child.deadline();
        if (until != null) {
            this.deadline =
                    new Deadline(until, child.startedAt() == null ? EndReason.PREPARE_TIMEOUT : EndReason.WALL_CLOCK);
        }
        this.ending = child.ending();
        this.doorServes = child.ending() == null;
        this.claimed = child.startedAt() != null;
        this.tools = new ChildTools(child.terms());
    }

    /** Its row at the start of this incarnation: what changes later must be read from the database. */
    Child child() {
        return child;
    }

    /** The same child in its next incarnation. */
    void restarted(Child next) {
        child = next;
        lock.lock();
        try {
            tools = new ChildTools(next.terms());
            evidence = null;
            claimed = false;
        } finally {
            lock.unlock();
        }
    }

    /** Its runner says what is active: once for each start, and a second time is the end of it. */
    void claim(Evidence claim) {
        boolean again;
        lock.lock();
        try {
            again = claimed;
            claimed = true;
            evidence = again ? evidence : claim;
        } finally {
            lock.unlock();
        }
        news.raise();
        if (again) {
            decide(new Ending(EndReason.CAPABILITY_MISMATCH, "it reported a second time what is active in its runner"));
        }
    }

    /** Its runner says what an extension offers now; one that it was not given is the end of it. */
    void offers(String extension, List<String> names) {
        if (!tools.offers(extension, names)) {
            decide(new Ending(
                    EndReason.CAPABILITY_MISMATCH,
                    "its runner has an extension that it was not given: `%s`"
                            .formatted(VisibleText.excerpt(extension, LONGEST_NAME))));
        }
    }

    ChildTools tools() {
        return tools;
    }

    Optional<Evidence> evidence() {
        lock.lock();
        try {
            return Optional.ofNullable(evidence);
        } finally {
            lock.unlock();
        }
    }

    /** Raised for whoever watches the child. */
    Signal news() {
        return news;
    }

    /** Raised for the child itself: apart, since a busy child makes much news and gets few commands. */
    Signal orders() {
        return orders;
    }

    /** When it ends for being too long in its state. */
    record Deadline(Instant at, EndReason reason) {}

    Optional<Deadline> deadline() {
        return Optional.ofNullable(deadline);
    }

    ChildState state() {
        return state;
    }

    void preparing(Deadline until) {
        state = ChildState.PREPARING;
        deadline = until;
        news.raise();
    }

    void running(Deadline until) {
        state = ChildState.RUNNING;
        deadline = until;
        orders.raise();
        news.raise();
    }

    /** The gateway goes down: its life is left as it is, for the next gateway to take over. */
    void abandon() {
        lock.lock();
        try {
            abandoned = true;
            doorServes = false;
            if (life != null) {
                life.interrupt();
            }
        } finally {
            lock.unlock();
        }
        orders.raise();
        news.raise();
    }

    boolean abandoned() {
        return abandoned;
    }

    boolean doorServes() {
        return doorServes;
    }

    Optional<Ending> ending() {
        lock.lock();
        try {
            return Optional.ofNullable(ending);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Decides how the child ends; the first who does wins. From then on its door serves nothing, and its life goes on to
     * clean up.
     *
     * @return false if somebody else has decided
     */
    boolean decide(Ending decision) {
        boolean first;
        lock.lock();
        try {
            if (ending != null || abandoned) {
                return false;
            }
            first = children.decide(child.id(), decision);
            // The row may know better: an earlier attempt went through although its answer was lost.
            ending = first
                    ? decision
                    : children.find(child.id()).map(Child::ending).orElse(decision);
            doorServes = false;
            if (life != null) {
                life.interrupt();
            }
        } finally {
            lock.unlock();
        }
        orders.raise();
        news.raise();
        return first;
    }

    /** From here on this thread may be interrupted, until {@link #uninterruptible}. */
    void interruptible() throws InterruptedException {
        lock.lock();
        try {
            if (ending != null || abandoned) {
                throw new InterruptedException();
            }
            life = Thread.currentThread();
        } finally {
            lock.unlock();
        }
    }

    /** No interrupt of ours arrives after this; one that did is forgotten. */
    void uninterruptible() {
        lock.lock();
        try {
            life = null;
            if (ending != null) {
                Thread.interrupted();
            }
        } finally {
            lock.unlock();
        }
    }

    /** A person is asked about this call. @return false if that was known */
    boolean asking(CallId call, Instant until) {
        lock.lock();
        try {
            if (asked.put(call, until) != null) {
                return false;
            }
            if (asked.size() == 1) {
                children.waiting(child.id());
                state = ChildState.WAITING;
            }
        } finally {
            lock.unlock();
        }
        news.raise();
        return true;
    }

    void answered(CallId call) {
        lock.lock();
        try {
            if (asked.remove(call) == null || !asked.isEmpty()) {
                return;
            }
            resumed();
        } finally {
            lock.unlock();
        }
        news.raise();
    }

    /** A child that asked and did not come back for the answer does not wait. */
    void forgetAskedBefore(Instant now) {
        lock.lock();
        try {
            if (!asked.values().removeIf(until -> until.isBefore(now)) || !asked.isEmpty()) {
                return;
            }
            resumed();
        } finally {
            lock.unlock();
        }
        news.raise();
    }

    private void resumed() {
        children.resumed(child.id());
        state = ChildState.RUNNING;
    }
}
