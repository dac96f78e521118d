package dev.sallyport.runner.door;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;

/** A body of unknown length. Only {@link #finish} ends it: one that broke off cannot be taken for whole. */
final class ChunkedOutput extends OutputStream {

    private final OutputStream out;

    ChunkedOutput(OutputStream out) {
        this.out = out;
    }

    @Override
    public void write(int b) throws IOException {
        write(new byte[] {(byte) b}, 0, 1);
    }

    @Override
    public void write(byte[] buffer, int offset, int length) throws IOException {
        if (length > 0) {
            out.write((Integer.toHexString(length) + "\r\n").getBytes(StandardCharsets.ISO_8859_1));
            out.write(buffer, offset, length);
            out.write("\r\n".getBytes(StandardCharsets.ISO_8859_1));
        }
    }

    @Override
    public void flush() throws IOException {
        out.flush();
    }

    void finish() throws IOException {
        out.write("0\r\n\r\n".getBytes(StandardCharsets.ISO_8859_1));
        out.flush();
    }
}
