package dev.sallyport.gateway.budget;

import dev.sallyport.identity.ChildId;

/**
 * One budget of one child, used by it and by everybody below it.
 *
 * @param held by model calls that are not settled
 */
public record Account(ChildId child, Kind kind, long most, long used, long held) {

    /** What can be taken now; below 0 where a provider counted more than it could. */
    long left() {
        return most - used - held;
    }

    /** @throws BudgetExhausted if less than this is left */
    void require(long amount) {
        if (amount > left()) {
            throw new BudgetExhausted(this, amount);
        }
    }
}
