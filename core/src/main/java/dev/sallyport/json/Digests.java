package dev.sallyport.json;

import java.nio.ByteBuffer;
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

    private final MessageDigest sha256 = newSha256();

    private Digests() {}

    /** The domain says what is hashed and in which version, as {@code sallyport-ask-v1}. */
    public static Digests of(String domain) {
        return new Digests().field(domain);
    }

    public static String sha256(byte[] content) {
        return HexFormat.of().formatHex(newSha256().digest(content));
    }

    private static MessageDigest newSha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }

    /** Refuses a lone surrogate, which UTF-8 cannot tell from a question mark. */
    public Digests field(@Nullable String value) {
        if (value == null) {
            sha256.update((byte) 0);
            return this;
        }
        byte[] utf8 = value.getBytes(StandardCharsets.UTF_8);
        if (!new String(utf8, StandardCharsets.UTF_8).equals(value)) {
            throw new IllegalArgumentException("digest: lone surrogate");
        }
        sha256.update((byte) 1);
        sha256.update(ByteBuffer.allocate(Integer.BYTES).putInt(utf8.length).flip());
        sha256.update(utf8);
        return this;
    }

    public Digests field(long value) {
        sha256.update(ByteBuffer.allocate(Long.BYTES).putLong(value).flip());
        return this;
    }

    public Digests fields(List<String> values) {
        field(values.size());
        values.forEach(this::field);
        return this;
    }

    /** Lower-case hexadecimal; the fields start anew. */
    public String hex() {
        return HexFormat.of().formatHex(sha256.digest());
    }
}
