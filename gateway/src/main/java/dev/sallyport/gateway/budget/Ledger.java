package dev.sallyport.gateway.budget;

import dev.sallyport.containment.Budgets;
import dev.sallyport.gateway.door.ModelHold;
import dev.sallyport.gateway.door.ModelNeed;
import dev.sallyport.gateway.door.ModelUse;
import dev.sallyport.gateway.door.Traffic;
import dev.sallyport.identity.ChildId;
import dev.sallyport.model.Price;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Objects;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.support.TransactionOperations;

/**
 * The books of all budgets. INVARIANT: whatever is taken is taken in one transaction from the child and from each of its
 * ancestors, their rows locked root first, so that of any number who ask at once, on any number of gateways, nobody gets what
 * is not there (S19). A child that no budget binds has no row here, nor has anybody above it.
 */
public final class Ledger {

    private final JdbcClient db;
    private final TransactionOperations transactions;

    public Ledger(JdbcClient db, TransactionOperations transactions) {
        this.db = db;
        this.transactions = transactions;
    }

    /**
     * Begins the books of a new child, in the transaction that makes it.
     *
     * @param turns that were used for it before it was there
     * @throws BudgetExhausted if there may be no more children below its parent
     */
    public void open(ChildId child, @Nullable ChildId parent, Budgets budgets, int turns) {
        if (parent != null) {
            spend(parent, Kind.CHILDREN, 1);
        }
        for (Kind kind : Kind.values()) {
            Long most = budgets.get(kind.key());
            if (most != null) {
                db.sql("insert into budget (child, kind, most, used) values (?, ?, ?, ?)")
                        .params(child.value(), kind.key(), most, kind == Kind.TURNS ? turns : 0)
                        .update();
            }
        }
    }

    /**
     * Takes some of a budget.
     *
     * @throws BudgetExhausted if less than this is left; then nothing was taken
     */
    public void spend(ChildId child, Kind kind, long amount) {
        transactions.executeWithoutResult(_ -> {
            Path path = path(child);
            path.of(kind).forEach(account -> account.require(amount));
            path.use(kind, amount);
        });
    }

    /** The least that is left of each along the way up; unlimited where nobody has such a budget. */
    public Budgets left(ChildId child) {
        List<Account> accounts = inTransaction(() -> path(child).accounts());
        return Budgets.of(key -> accounts.stream()
                .filter(account -> account.kind().key().equals(key))
                .map(account -> Math.max(0, account.left()))
                .reduce(Math::min)
                .orElse(null));
    }

    /**
     * Holds the most that a model call can come to. Where less than the output that it asks for is left, the call gets less.
     *
     * @throws BudgetExhausted if the least that it needs is not left
     */
    public ModelHold hold(ChildId child, ModelNeed need) {
        return inTransaction(() -> {
            Path path = path(child);
            long output = need.outputTokens();
            for (Account account : path.accounts()) {
                output = Math.min(output, affordable(account, need));
            }
            if (path.accounts().isEmpty()) {
                return ModelHold.unlimited(output);
            }
            Price price = need.price();
            long input = need.inputTokens() == null ? 0 : need.inputTokens();
            long tokens = input + output;
            long cost = price == null ? 0 : price.worstInput(input) + price.worstOutput(output);
            long id = db.sql("insert into budget_hold (child, tokens, cost) values (?, ?, ?) returning id")
                    .params(child.value(), tokens, cost)
                    .query(Long.class)
                    .single();
            path.hold(1, tokens, cost);
            return new Hold(child, id, output);
        });
    }

    /** The output that one budget pays for. */
    private static long affordable(Account account, ModelNeed need) {
        return switch (account.kind()) {
            case TURNS -> {
                account.require(1);
                yield Long.MAX_VALUE;
            }
            case TOKENS -> {
                long input = measured(account, need);
                account.require(input + need.leastOutput());
                yield account.left() - input;
            }
            case COST -> {
                Price price = need.price();
                if (price == null) {
                    throw BudgetExhausted.immeasurable(account, "a model without a price");
                }
                long input = price.worstInput(measured(account, need));
                account.require(input + price.worstOutput(need.leastOutput()));
                yield price.outputFor(account.left() - input);
            }
            case EGRESS, CHILDREN -> Long.MAX_VALUE;
        };
    }

    private static long measured(Account account, ModelNeed need) {
        Long input = need.inputTokens();
        if (input == null) {
            throw BudgetExhausted.immeasurable(account, "a document that is not text");
        }
        return input;
    }

    /** Charges every call of this child that is still open with the most that it could come to: nobody will say more. */
    public void settleAll(ChildId child) {
        db.sql("select id from budget_hold where child = ? order by id")
                .param(child.value())
                .query(Long.class)
                .list()
                .forEach(id -> settle(child, id, null));
    }

    /** @param use null for all that is held */
    private void settle(ChildId child, long id, @Nullable ModelUse use) {
        close(child, id, (path, held) -> {
            path.use(Kind.TURNS, 1);
            path.use(Kind.TOKENS, use == null ? held.tokens() : held.tokens(use));
            path.use(Kind.COST, use == null ? held.cost() : held.cost(use));
        });
    }

    private void release(ChildId child, long id) {
        close(child, id, (_, _) -> {});
    }

    /** Once: whoever is second changes nothing. */
    private void close(ChildId child, long id, BiConsumer<Path, Held> charge) {
        transactions.executeWithoutResult(_ -> {
            Path path = path(child);
            db.sql("delete from budget_hold where id = ? returning tokens, cost")
                    .param(id)
                    .query(Held.class)
                    .optional()
                    .ifPresent(held -> {
                        path.hold(-1, -held.tokens(), -held.cost());
                        charge.accept(path, held);
                    });
        });
    }

    private record Held(long tokens, long cost) {

        long tokens(ModelUse use) {
            long counted = use.inputTokens() + use.outputTokens();
            return isWhole(use) ? counted : Math.max(tokens, counted);
        }

        long cost(ModelUse use) {
            BigDecimal usd = use.costUsd();
            if (usd == null) {
                return cost;
            }
            long counted = usd.movePointRight(6).setScale(0, RoundingMode.UP).longValueExact();
            return isWhole(use) ? counted : Math.max(cost, counted);
        }

        /** An answer that broke off, or that says nothing of what it took, is charged with what it could have taken. */
        private static boolean isWhole(ModelUse use) {
            return use.complete() && use.inputTokens() + use.outputTokens() > 0;
        }
    }

    private final class Hold implements ModelHold {

        private final ChildId child;
        private final long id;
        private final long output;

        private Hold(ChildId child, long id, long output) {
            this.child = child;
            this.id = id;
            this.output = output;
        }

        @Override
        public long outputTokens() {
            return output;
        }

        @Override
        public void settle(ModelUse use) {
            uninterrupted(() -> Ledger.this.settle(child, id, use));
        }

        @Override
        public void release() {
            uninterrupted(() -> Ledger.this.release(child, id));
        }

        @Override
        public void close() {
            uninterrupted(() -> Ledger.this.settle(child, id, null));
        }
    }

    /** Whoever is told to leave pays first: an interrupted thread gets no connection. */
    private static void uninterrupted(Runnable action) {
        boolean interrupted = Thread.interrupted();
        try {
            action.run();
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /**
     * What one tunnel of a child may carry.
     *
     * @throws BudgetExhausted if there is nothing left
     */
    public Traffic traffic(ChildId child) {
        List<Account> accounts = inTransaction(() -> path(child).of(Kind.EGRESS));
        accounts.forEach(account -> account.require(1));
        return accounts.isEmpty() ? Traffic.UNLIMITED : new Meter(this, child);
    }

    /** Takes as many of these bytes as there are. */
    long takeEgress(ChildId child, long wanted) {
        return inTransaction(() -> {
            Path path = path(child);
            long taken = wanted;
            for (Account account : path.of(Kind.EGRESS)) {
                taken = Math.clamp(account.left(), 0, taken);
            }
            path.use(Kind.EGRESS, taken);
            return taken;
        });
    }

    void giveBackEgress(ChildId child, long bytes) {
        uninterrupted(() -> transactions.executeWithoutResult(_ -> path(child).use(Kind.EGRESS, -bytes)));
    }

    /** The most that is used of one kind in any budget of a child that lives, 0 to 1; 0 where nobody has one. */
    double mostUsed(Kind kind) {
        return db.sql("""
            select coalesce(max(case when most = 0 then 1 else least(1, (used + held)::float8 / most) end), 0)
            from budget b join child c on c.id = b.child where b.kind = ? and c.ended_at is null
            """).param(kind.key()).query(Double.class).single();
    }

    private <T> T inTransaction(Supplier<T> action) {
        return Objects.requireNonNull(transactions.execute(_ -> action.get()));
    }

    /** The accounts of a child and of all above it, locked until the transaction is over. */
    private Path path(ChildId child) {
        String ids = db.sql("""
            with recursive above as (
                select id, parent, 0 as up from child where id = ?
                union all select c.id, c.parent, up + 1 from child c join above a on c.id = a.parent)
            select coalesce(string_agg(id, ',' order by up desc), '') from above
            """).param(child.value()).query(String.class).single();
        List<Account> accounts =
                db.sql("""
            select * from budget where child = any(string_to_array(:ids, ','))
            order by array_position(string_to_array(:ids, ','), child), kind for update
            """).param("ids", ids).query(Ledger::account).list();
        return new Path(ids, accounts);
    }

    private static Account account(ResultSet row, int number) throws SQLException {
        return new Account(
                new ChildId(row.getString("child")),
                Kind.parse(row.getString("kind")),
                row.getLong("most"),
                row.getLong("used"),
                row.getLong("held"));
    }

    private final class Path {

        private final String ids;
        private final List<Account> accounts;

        private Path(String ids, List<Account> accounts) {
            this.ids = ids;
            this.accounts = accounts;
        }

        List<Account> accounts() {
            return accounts;
        }

        List<Account> of(Kind kind) {
            return accounts.stream().filter(account -> account.kind() == kind).toList();
        }

        void use(Kind kind, long amount) {
            add("used", kind, amount);
        }

        void hold(long turns, long tokens, long cost) {
            add("held", Kind.TURNS, turns);
            add("held", Kind.TOKENS, tokens);
            add("held", Kind.COST, cost);
        }

        private void add(String column, Kind kind, long amount) {
            if (of(kind).isEmpty()) {
                return;
            }
            db.sql("update budget set %1$s = %1$s + ? where child = any(string_to_array(?, ',')) and kind = ?"
                            .formatted(column))
                    .params(amount, ids, kind.key())
                    .update();
        }
    }
}
