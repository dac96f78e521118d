package dev.sallyport.gateway.workspace;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A row of strings, each behind its length: what the two processes say to each other. The gateway reads bytes here that a
 * hostile repository may have had a hand in, so there is nothing in this format to get wrong but a length.
 */
final class Answer {

    private final ByteBuffer bytes;

    Answer(byte[] bytes) {
        this.bytes = ByteBuffer.wrap(bytes);
    }

    String next() {
        String value = nextNullable();
        if (value == null) {
            throw new IllegalArgumentException("a field is missing");
        }
        return value;
    }

    @Nullable String nextNullable() {
        int length = bytes.remaining() < Integer.BYTES ? Integer.MAX_VALUE : bytes.getInt();
        if (length == -1) {
            return null;
        }
        if (length < 0 || length > bytes.remaining()) {
            throw new IllegalArgumentException("a field does not end");
        }
        byte[] value = new byte[length];
        bytes.get(value);
        return new String(value, UTF_8);
    }

    int nextInt() {
        return Integer.parseInt(next());
    }

    long nextLong() {
        return Long.parseLong(next());
    }

    List<String> nextList() {
        int count = nextInt();
        List<String> values = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            values.add(next());
        }
        return values;
    }

    /** Writes what {@link Answer} reads. */
    static final class Builder {

        private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        private final DataOutputStream out = new DataOutputStream(bytes);

        Builder add(@Nullable String value) {
            try {
                if (value == null) {
                    out.writeInt(-1);
                } else {
                    byte[] encoded = value.getBytes(UTF_8);
                    out.writeInt(encoded.length);
                    out.write(encoded);
                }
            } catch (IOException impossible) {
                throw new UncheckedIOException(impossible);
            }
            return this;
        }

        Builder add(long value) {
            return add(Long.toString(value));
        }

        Builder add(List<String> values) {
            add(values.size());
            values.forEach(this::add);
            return this;
        }

        int size() {
            return bytes.size();
        }

        byte[] toByteArray() {
            return bytes.toByteArray();
        }
    }
}
