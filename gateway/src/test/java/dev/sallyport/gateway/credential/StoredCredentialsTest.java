package dev.sallyport.gateway.credential;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.gateway.TestDatabase;
import dev.sallyport.identity.Tenant;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.util.Base64;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;

class StoredCredentialsTest {

    private static final String KEY = Base64.getEncoder().encodeToString(new byte[32]);
    private static final Tenant OTHER = new Tenant("other");

    private JdbcClient db;
    private StoredCredentials credentials;

    @BeforeEach
    void empty() {
        db = JdbcClient.create(TestDatabase.empty());
        credentials = new StoredCredentials(db, KEY, Clock.systemUTC());
    }

    @Test
    void givesBackWhatWasPutLast() {
        credentials.put(Tenant.DEFAULT, "anthropic", "first");
        credentials.put(Tenant.DEFAULT, "anthropic", "second");

        assertThat(credentials.secret(Tenant.DEFAULT, "anthropic")).contains("second");
        assertThat(credentials.secret(OTHER, "anthropic")).isEmpty();
    }

    @Test
    void theDatabaseDoesNotHoldTheValue() {
        credentials.put(Tenant.DEFAULT, "anthropic", "sk-planted");

        byte[] stored =
                db.sql("select value from credential").query(byte[].class).single();

        assertThat(new String(stored, StandardCharsets.ISO_8859_1)).doesNotContain("planted");
    }

    @Test
    void aRowThatIsCopiedToAnotherNameDoesNotOpen() {
        credentials.put(Tenant.DEFAULT, "anthropic", "sk-planted");
        db.sql("insert into credential select 'other', name, nonce, value, updated_at from credential")
                .update();

        assertThatThrownBy(() -> credentials.secret(OTHER, "anthropic"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageNotContaining("planted");
    }

    @Test
    void aKeyOfTheWrongSizeIsRefusedWithoutShowingIt() {
        String bad = Base64.getEncoder().encodeToString("short-secret-key".getBytes(StandardCharsets.UTF_8));

        assertThatThrownBy(() -> new StoredCredentials(db, bad, Clock.systemUTC()))
                .hasMessageContaining("16 bytes")
                .hasMessageNotContaining(bad);
    }
}
