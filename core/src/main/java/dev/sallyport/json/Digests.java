package dev.sallyport.json;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * SHA-256 over fields that cannot run into each other: a domain with its version first, then every field with its length
 * before it. Absent and empty are different.
 */
public final class Digests {

    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final DataOutputStream out = new DataOutputStream(bytes);

    private Digests() {}

    /** The domain says what is hashed and in which version, as {@code sallyport-ask-v1}. */
    public static Digests of(String domain) {
        return new Digests().field(domain);
    }

    public static String sha256(byte[] content) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(content));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }

    /** Refuses a lone surrogate, which UTF-8 cannot tell from a question mark. */
    public Digests field(@Nullable String value) {
        if (value != null && !CanonicalJson.isWellFormed(value)) {
            throw new IllegalArgumentException("digest: lone surrogate");
        }
        try {
            out.writeBoolean(value != null);
            if (value != null) {
                byte[] utf8 = value.getBytes(StandardCharsets.UTF_8);
                out.writeInt(utf8.length);
                out.write(utf8);
            }
            return this;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public Digests field(long value) {
        try {
            out.writeLong(value);
            return this;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public Digests fields(List<String> values) {
        field(values.size());
        values.forEach(this::field);
        return this;
    }

    /** Lower-case hexadecimal. */
    public String hex() {
        return sha256(bytes.toByteArray());
    }
}
