package dev.sallyport.gateway.budget;

import io.micrometer.core.instrument.MeterRegistry;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.support.TransactionOperations;

/** Puts the parts of this package together. */
@Configuration(proxyBeanMethods = false)
class BudgetConfiguration {

    @Bean
    Ledger ledger(JdbcClient db, TransactionOperations transactions, MeterRegistry meters) {
        Ledger ledger = new Ledger(db, transactions);
        BudgetMetrics.watch(ledger, meters);
        return ledger;
    }
}
