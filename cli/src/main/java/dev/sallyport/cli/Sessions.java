package dev.sallyport.cli;

import dev.sallyport.identity.SessionId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The session of this terminal, made at its first use and remembered by its id, which is no secret (P21). */
final class Sessions {

    private static final Pattern KEY = Pattern.compile("([0-9]+)-[0-9]+");

    private final Connection connection;
    private final String terminal;

    Sessions(Connection connection) {
        this(connection, terminal());
    }

    Sessions(Connection connection, String terminal) {
        this.connection = connection;
        this.terminal = terminal;
    }

    SessionId current() {
        return remembered().orElseGet(this::renew);
    }

    /** A new session in place of one that the installation no longer knows. */
    SessionId renew() {
        SessionId session = new SessionId(
                connection.permissions().post("/v1/sessions", Json.object()).text("id"));
        if (connection.local()) {
            remember(session);
        }
        return session;
    }

    private Optional<SessionId> remembered() {
        try {
            List<String> lines = Files.readAllLines(file());
            return lines.size() == 2 && lines.getFirst().equals(connection.installation())
                    ? Optional.of(new SessionId(lines.getLast()))
                    : Optional.empty();
        } catch (IOException | IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    private void remember(SessionId session) {
        try {
            Files.createDirectories(file().getParent());
            forgetClosedTerminals();
            Path staged = Files.createTempFile(file().getParent(), "new", "");
            Files.writeString(staged, connection.installation() + "\n" + session + "\n");
            Files.move(staged, file(), StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            throw Failure.of("home-unwritable", "cannot write " + file());
        }
    }

    private void forgetClosedTerminals() throws IOException {
        try (Stream<Path> files = Files.list(file().getParent())) {
            for (Path file : files.toList()) {
                var key = KEY.matcher(file.getFileName().toString());
                if (key.matches()
                        && ProcessHandle.of(Long.parseLong(key.group(1))).isEmpty()) {
                    Files.deleteIfExists(file);
                }
            }
        }
    }

    private Path file() {
        return connection.home().directory().resolve("terminals").resolve(terminal);
    }

    // The process that leads the terminal session, with its start because numbers of processes are used again.
    private static String terminal() {
        try {
            String leader = stat("self", 6);
            return leader + "-" + stat(leader, 22);
        } catch (IOException | IndexOutOfBoundsException e) {
            ProcessHandle parent = ProcessHandle.current().parent().orElse(ProcessHandle.current());
            return parent.pid() + "-"
                    + parent.info()
                            .startInstant()
                            .map(start -> start.toEpochMilli())
                            .orElse(0L);
        }
    }

    // proc(5): the second field is a name in brackets and may hold anything; the third follows the last bracket.
    private static String stat(String process, int field) throws IOException {
        String stat = Files.readString(Path.of("/proc", process, "stat"));
        return List.of(stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1)).get(field - 3);
    }
}
