package dev.sallyport.runner.tool;

import java.nio.charset.StandardCharsets;

/** Keeps the last bytes of an output, however long that is. Written by one thread and read by another. */
final class Tail {

    private final OutputLimit limit;
    private final byte[] ring;
    private long total;

    Tail(OutputLimit limit) {
        this.limit = limit;
        this.ring = new byte[limit.bytes()];
    }

    synchronized void add(byte[] buffer, int length) {
        int skip = Math.max(0, length - ring.length);
        total += skip;
        for (int i = skip; i < length; ) {
            int at = (int) (total % ring.length);
            int part = Math.min(ring.length - at, length - i);
            System.arraycopy(buffer, i, ring, at, part);
            total += part;
            i += part;
        }
    }

    @Override
    public synchronized String toString() {
        int kept = (int) Math.min(total, ring.length);
        int start = (int) ((total - kept) % ring.length);
        byte[] bytes = new byte[kept];
        for (int i = 0; i < kept; i++) {
            bytes[i] = ring[(start + i) % ring.length];
        }
        int from = 0;
        if (total > kept) {
            // Begin with a whole line, or at least with a whole character.
            from = indexAfter(bytes, (byte) '\n', 0);
            if (from == 0 || from == kept) {
                from = 0;
                while (from < kept && (bytes[from] & 0xC0) == 0x80) {
                    from++;
                }
            }
        }
        int lines = 0;
        for (int i = kept - 2; i >= from; i--) {
            if (bytes[i] == '\n' && ++lines == limit.lines()) {
                from = i + 1;
                break;
            }
        }
        String text = new String(bytes, from, kept - from, StandardCharsets.UTF_8);
        long cut = total - (kept - from);
        return cut == 0 ? text : "[%s cut here]\n%s".formatted(OutputLimit.size(cut), text);
    }

    private static int indexAfter(byte[] bytes, byte wanted, int fallback) {
        for (int i = 0; i < bytes.length; i++) {
            if (bytes[i] == wanted) {
                return i + 1;
            }
        }
        return fallback;
    }
}
