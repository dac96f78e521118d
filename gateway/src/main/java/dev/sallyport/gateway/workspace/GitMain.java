package dev.sallyport.gateway.workspace;

import dev.sallyport.gateway.workspace.WorkspaceException.Refused;
import java.io.DataInputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;

/** The process that reads repositories: one request on standard input, one answer on standard output. */
public final class GitMain {

    private GitMain() {}

    public static void main(String[] arguments) throws IOException {
        OutputStream out = new FileOutputStream(FileDescriptor.out);
        // Whatever a library prints must not become part of the answer.
        System.setOut(System.err);
        DataInputStream in = new DataInputStream(System.in);
        byte[] request = in.readNBytes(in.readInt());
        Thread.ofPlatform().daemon().start(() -> endWithTheGateway(in));
        ClosedSystemReader.install();
        byte[] answer;
        try {
            answer = Operation.run(new Answer(request));
        } catch (Refused refused) {
            answer = new Answer.Builder()
                    .add("refused")
                    .add(refused.refusal().name())
                    .add(refused.getMessage())
                    .toByteArray();
        }
        out.write(answer);
        out.flush();
        // Not exit: a task that ran out of its time may still be at it.
        Runtime.getRuntime().halt(0);
    }

    private static void endWithTheGateway(InputStream in) {
        try {
            while (in.read() >= 0) {
                // Nothing more is said after the request.
            }
        } catch (IOException e) {
            // As good as its end.
        }
        Runtime.getRuntime().halt(4);
    }
}
