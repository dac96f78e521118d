package dev.sallyport.gateway.door;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;

/** A body that ends in a {@link DoorProblem} once it is longer than it may be. */
final class CappedStream extends FilterInputStream {

    private final long limit;
    private long seen;

    CappedStream(InputStream in, long limit) {
        super(in);
        this.limit = limit;
    }

    static DoorProblem tooLarge(long limit) {
        return new DoorProblem(413, "workspace-limit", "bundle (expected: at most %d bytes)".formatted(limit));
    }

    @Override
    public int read() throws IOException {
        int next = super.read();
        count(next < 0 ? 0 : 1);
        return next;
    }

    @Override
    public int read(byte[] buffer, int offset, int length) throws IOException {
        int count = super.read(buffer, offset, length);
        count(Math.max(0, count));
        return count;
    }

    @Override
    public long skip(long count) throws IOException {
        long skipped = super.skip(count);
        count(skipped);
        return skipped;
    }

    @Override
    public boolean markSupported() {
        return false;
    }

    private void count(long bytes) {
        seen += bytes;
        if (seen > limit) {
            throw tooLarge(limit);
        }
    }
}
