package dev.sallyport.gateway.workspace;

import dev.sallyport.gateway.workspace.WorkspaceException.Refused;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.function.Supplier;

/** Ends what grows too large while it is written. */
final class LimitedOutput extends FilterOutputStream {

    private final Supplier<Refused> refusal;
    private long left;

    LimitedOutput(OutputStream out, long limit, Supplier<Refused> refusal) {
        super(out);
        this.left = limit;
        this.refusal = refusal;
    }

    @Override
    public void write(int b) throws IOException {
        write(new byte[] {(byte) b}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
        left -= length;
        if (left < 0) {
            throw refusal.get();
        }
        out.write(bytes, offset, length);
    }
}
