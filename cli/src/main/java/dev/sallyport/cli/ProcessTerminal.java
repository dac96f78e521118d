package dev.sallyport.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.io.Console;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;

/** The terminal of this process. */
@SuppressWarnings("SystemConsoleNull") // as of JDK 25 it is null again where there is no terminal
final class ProcessTerminal implements Terminal {

    private static final Path CONTROLLING = Path.of("/dev/tty");
    private static final int MAX_LINE = 4096;

    @Override
    public boolean interactive() {
        Console console = System.console();
        return console != null && console.isTerminal();
    }

    @Override
    public boolean outputIsTerminal() {
        // The JDK tells only of standard input and output together; `test` sees the descriptor that it inherits.
        try {
            return new ProcessBuilder("test", "-t", "1").inheritIO().start().waitFor() == 0;
        } catch (IOException e) {
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return true;
        }
    }

    @Override
    public @Nullable String ask(String prompt) {
        try {
            while (System.in.available() > 0 && System.in.read() >= 0) {
                // dropped
            }
            System.out.print(prompt);
            System.out.flush();
            return line(System.in);
        } catch (IOException e) {
            return null;
        }
    }

    @Override
    public char @Nullable [] askSecret(String prompt) {
        Console console = System.console();
        return console == null ? null : console.readPassword("%s", prompt);
    }

    @Override
    public boolean confirm(String question) {
        try (OutputStream out = Files.newOutputStream(CONTROLLING, StandardOpenOption.WRITE);
                InputStream in = Files.newInputStream(CONTROLLING)) {
            out.write((question + " [y/N] ").getBytes(UTF_8));
            out.flush();
            String answer = line(in);
            return answer != null && answer.strip().equalsIgnoreCase("y");
        } catch (IOException e) {
            return false;
        }
    }

    // Byte by byte: a reader would take more from the terminal than this line.
    private static @Nullable String line(InputStream in) throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        for (int b = in.read(); b != '\n'; b = in.read()) {
            if (b < 0) {
                return null;
            }
            if (line.size() < MAX_LINE) {
                line.write(b);
            }
        }
        return line.toString(UTF_8);
    }
}
