package dev.sallyport.gateway.budget;

import dev.sallyport.containment.Budgets;
import dev.sallyport.identity.ChildId;

/** Less is left of a budget than something would take, so it does not happen. */
public final class BudgetExhausted extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final transient Account account;
    private final boolean passing;

    BudgetExhausted(Account account, long amount) {
        this(
                account,
                "the %s budget of child %s is too small for this: %s of %s left, %s needed"
                        .formatted(
                                account.kind().key(),
                                account.child(),
                                shown(account, Math.max(0, account.left())),
                                shown(account, account.most()),
                                shown(account, amount)),
                account.most() - account.used() >= amount);
    }

    private BudgetExhausted(Account account, String message, boolean passing) {
        // Part of normal traffic: no stack to walk, nothing suppressed.
        super(message, null, false, false);
        this.account = account;
        this.passing = passing;
    }

    /** Nobody can say how much it would be. */
    static BudgetExhausted immeasurable(Account account, String what) {
        return new BudgetExhausted(
                account,
                "child %s has a %s budget, and nobody can say what %s takes of it"
                        .formatted(account.child(), account.kind().key(), what),
                false);
    }

    private static String shown(Account account, long amount) {
        return Budgets.shown(account.kind().key(), amount);
    }

    public Kind kind() {
        return account.kind();
    }

    /** Whose budget it is: the child itself or one above it. */
    public ChildId child() {
        return account.child();
    }

    /** Whether it may fit once calls that are on their way are settled. */
    public boolean passing() {
        return passing;
    }

    /** {@code budget-tokens}; API. */
    public String code() {
        return "budget-" + kind().key();
    }
}
