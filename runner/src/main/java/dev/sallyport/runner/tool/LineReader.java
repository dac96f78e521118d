package dev.sallyport.runner.tool;

import java.io.BufferedInputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Reads lines of bounded length: a file of one endless line costs no more memory than another. */
final class LineReader implements Closeable {

    private static final int PROBE = 8 * 1024;

    private final InputStream in;
    private final byte[] line;

    /** @param longest bytes of a line; the rest of a longer one is skipped */
    LineReader(Path file, int longest) throws IOException {
        this.in = new BufferedInputStream(Files.newInputStream(file), PROBE);
        this.line = new byte[longest];
    }

    /** Says whether the file begins like one without text, as git does. Call before the first line only. */
    boolean binary() throws IOException {
        in.mark(PROBE);
        byte[] start = in.readNBytes(PROBE);
        in.reset();
        for (byte b : start) {
            if (b == 0) {
                return true;
            }
        }
        return false;
    }

    /** The next line without its end, null after the last one. */
    @Nullable String next() throws IOException {
        int length = 0;
        boolean cut = false;
        int b = in.read();
        if (b < 0) {
            return null;
        }
        for (; b >= 0 && b != '\n'; b = in.read()) {
            if (length < line.length) {
                line[length++] = (byte) b;
            } else {
                cut = true;
            }
        }
        if (cut) {
            return new String(Arrays.copyOf(line, length), StandardCharsets.UTF_8) + " [line cut]";
        }
        if (length > 0 && line[length - 1] == '\r') {
            length--;
        }
        return new String(line, 0, length, StandardCharsets.UTF_8);
    }

    @Override
    public void close() throws IOException {
        in.close();
    }
}
