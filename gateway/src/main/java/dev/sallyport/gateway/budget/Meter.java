package dev.sallyport.gateway.budget;

import dev.sallyport.gateway.door.Traffic;
import dev.sallyport.identity.ChildId;

/**
 * Counts the bytes of one tunnel. They are taken from the ledger in blocks, before they are carried: a gateway that dies loses
 * what is left of a block for the child, never for the budget.
 */
final class Meter implements Traffic {

    private static final long BLOCK = 256 * 1024;

    private final Ledger ledger;
    private final ChildId child;
    private long inHand;
    private boolean closed;

    Meter(Ledger ledger, ChildId child) {
        this.ledger = ledger;
        this.child = child;
    }

    @Override
    public synchronized boolean take(int bytes) {
        if (closed) {
            return false;
        }
        if (inHand < bytes) {
            inHand += ledger.takeEgress(child, Math.max(bytes, BLOCK) - inHand);
        }
        if (inHand < bytes) {
            return false;
        }
        inHand -= bytes;
        return true;
    }

    @Override
    public synchronized void close() {
        if (!closed) {
            closed = true;
            ledger.giveBackEgress(child, inHand);
        }
    }
}
