package dev.sallyport.gateway.memory;

import java.security.SecureRandom;
import java.time.Clock;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.support.TransactionOperations;
import tools.jackson.databind.json.JsonMapper;

@Configuration(proxyBeanMethods = false)
class MemoryConfiguration {

    @Bean
    Memories memories(JdbcClient db, TransactionOperations transactions, Clock clock, JsonMapper json) {
        return new Memories(db, transactions, new SecureRandom(), clock, json);
    }
}
