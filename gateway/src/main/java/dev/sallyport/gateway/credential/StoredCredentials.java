package dev.sallyport.gateway.credential;

import dev.sallyport.gateway.door.Credentials;
import dev.sallyport.identity.Tenant;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.ZoneOffset;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * Credentials in the database, each encrypted with the installation's key and bound to its tenant and name, so that a row
 * copied to another name does not open. Who has the database and the key has everything; who has one of them has nothing.
 */
public final class StoredCredentials implements Credentials {

    private static final int KEY_BYTES = 32;
    private static final int NONCE_BYTES = 12;
    private static final int TAG_BITS = 128;

    private final JdbcClient db;
    private final Clock clock;
    private final SecretKeySpec key;
    private final SecureRandom random = new SecureRandom();

    /** @param key base64 of 32 bytes; no message shows it */
    public StoredCredentials(JdbcClient db, String key, Clock clock) {
        this.db = db;
        this.clock = clock;
        this.key = new SecretKeySpec(bytes(key), "AES");
    }

    private static byte[] bytes(String key) {
        byte[] bytes;
        try {
            bytes = Base64.getDecoder().decode(key);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("sallyport.gateway.credential-key (expected: base64)", e);
        }
        if (bytes.length != KEY_BYTES) {
            throw new IllegalArgumentException(
                    "sallyport.gateway.credential-key: %d bytes (expected: %d)".formatted(bytes.length, KEY_BYTES));
        }
        return bytes;
    }

    List<String> names(Tenant tenant) {
        return db.sql("select name from credential where tenant = ? order by name")
                .param(tenant.value())
                .query(String.class)
                .list();
    }

    void put(Tenant tenant, String name, String value) {
        byte[] nonce = new byte[NONCE_BYTES];
        random.nextBytes(nonce);
        byte[] sealed = crypt(Cipher.ENCRYPT_MODE, nonce, tenant, name, value.getBytes(StandardCharsets.UTF_8));
        db.sql("""
                insert into credential (tenant, name, nonce, value, updated_at) values (?, ?, ?, ?, ?)
                on conflict (tenant, name) do update
                set nonce = excluded.nonce, value = excluded.value, updated_at = excluded.updated_at
                """)
                .params(tenant.value(), name, nonce, sealed, clock.instant().atOffset(ZoneOffset.UTC))
                .update();
    }

    boolean remove(Tenant tenant, String name) {
        return db.sql("delete from credential where tenant = ? and name = ?")
                        .params(tenant.value(), name)
                        .update()
                == 1;
    }

    @Override
    public Optional<String> secret(Tenant tenant, String name) {
        return db.sql("select nonce, value from credential where tenant = ? and name = ?")
                .params(tenant.value(), name)
                .query((row, _) -> new String(
                        crypt(Cipher.DECRYPT_MODE, row.getBytes(1), tenant, name, row.getBytes(2)),
                        StandardCharsets.UTF_8))
                .optional();
    }

    private byte[] crypt(int mode, byte[] nonce, Tenant tenant, String name, byte[] text) {
        try {
            Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
            cipher.init(mode, key, new GCMParameterSpec(TAG_BITS, nonce));
            cipher.updateAAD((tenant.value() + "/" + name).getBytes(StandardCharsets.UTF_8));
            return cipher.doFinal(text);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("credential `%s` does not open with the configured key".formatted(name), e);
        }
    }
}
