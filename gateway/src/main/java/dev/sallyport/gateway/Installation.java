package dev.sallyport.gateway;

import dev.sallyport.identity.InstallationId;
import java.security.SecureRandom;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Which installation this is: whoever shares the database shares it, and nobody else (S28). */
final class Installation {

    private Installation() {}

    static InstallationId of(JdbcClient db) {
        db.sql("insert into installation (id) values (?) on conflict do nothing")
                .param(InstallationId.random(new SecureRandom()).value())
                .update();
        return new InstallationId(
                db.sql("select id from installation").query(String.class).single());
    }
}
