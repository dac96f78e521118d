package dev.sallyport.runner.door;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

/** The receiving half of an HTTP/1.1 connection: lines, headers and bodies, each with a bound or an end of its own. */
final class HttpInput {

    private static final int LONGEST_LINE = 16 * 1024;
    private static final int MOST_HEADERS = 100;

    private final InputStream in;

    HttpInput(InputStream in) {
        this.in = new BufferedInputStream(in, 16 * 1024);
    }

    /** What follows the messages read so far, as it comes. */
    InputStream rest() {
        return in;
    }

    String line() throws IOException {
        StringBuilder line = new StringBuilder();
        for (int b = in.read(); b != '\n'; b = in.read()) {
            if (b < 0) {
                throw new EOFException("connection closed");
            }
            if (line.length() == LONGEST_LINE) {
                throw new IOException("endless line");
            }
            line.append((char) b);
        }
        int length = line.length();
        return length > 0 && line.charAt(length - 1) == '\r' ? line.substring(0, length - 1) : line.toString();
    }

    /** By lower-case name; of repeated ones the last. */
    Map<String, String> headers() throws IOException {
        Map<String, String> headers = new HashMap<>();
        for (int i = 0; i < MOST_HEADERS; i++) {
            String line = line();
            if (line.isEmpty()) {
                return headers;
            }
            int colon = line.indexOf(':');
            if (colon > 0) {
                headers.put(
                        line.substring(0, colon).toLowerCase(Locale.ROOT),
                        line.substring(colon + 1).strip());
            }
        }
        throw new IOException("too many headers");
    }

    /** @param unmarked the body of a message whose headers say nothing about its length */
    InputStream body(Map<String, String> headers, InputStream unmarked) throws IOException {
        if (headers.getOrDefault("transfer-encoding", "").equalsIgnoreCase("chunked")) {
            return new Chunked();
        }
        String length = headers.get("content-length");
        if (length == null) {
            return unmarked;
        }
        if (!length.matches("\\d{1,18}")) {
            throw new IOException("content-length `%s`".formatted(length));
        }
        return new Fixed(Long.parseLong(length));
    }

    private abstract class Body extends InputStream {

        /** Bytes that may be read now; 0 at the end. */
        abstract long ahead() throws IOException;

        abstract void passed(int bytes);

        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
        }

        @Override
        public int read(byte[] buffer, int offset, int length) throws IOException {
            long ahead = ahead();
            if (ahead == 0) {
                return -1;
            }
            int read = in.read(buffer, offset, (int) Math.min(ahead, length));
            if (read < 0) {
                throw new EOFException("message broke off");
            }
            passed(read);
            return read;
        }
    }

    private final class Fixed extends Body {

        private long left;

        Fixed(long length) {
            this.left = length;
        }

        @Override
        long ahead() {
            return left;
        }

        @Override
        void passed(int bytes) {
            left -= bytes;
        }
    }

    private final class Chunked extends Body {

        private long left;
        private boolean started;
        private boolean ended;

        @Override
        long ahead() throws IOException {
            if (left > 0 || ended) {
                return left;
            }
            if (started) {
                line();
            }
            started = true;
            String size = line().split(";", 2)[0].strip();
            if (!size.matches("[0-9a-fA-F]{1,15}")) {
                throw new IOException("chunk size `%s`".formatted(size));
            }
            left = Long.parseLong(size, 16);
            if (left == 0) {
                ended = true;
                headers();
            }
            return left;
        }

        @Override
        void passed(int bytes) {
            left -= bytes;
        }
    }
}
