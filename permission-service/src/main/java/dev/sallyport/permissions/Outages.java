package dev.sallyport.permissions;

import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.dao.TransientDataAccessException;
import org.springframework.transaction.CannotCreateTransactionException;
import org.springframework.transaction.TransactionSystemException;

/** Tells a database that is away, or too busy, from a mistake of ours. */
public final class Outages {

    private Outages() {}

    /** Returns for an outage; throws anything else on. */
    public static void require(RuntimeException e) {
        switch (e) {
            case DataAccessResourceFailureException _,
                    TransientDataAccessException _,
                    CannotCreateTransactionException _,
                    // A rollback that fails, because the connection is gone, hides what failed before.
                    TransactionSystemException _ -> {}
            default -> throw e;
        }
    }
}
