package dev.sallyport.gateway.sandbox.docker;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** The system calls of a child (S8): {@code seccomp.json} lists those that it may make, all others are refused. */
final class Seccomp {

    static final String PROFILE = read();

    private Seccomp() {}

    private static String read() {
        try (InputStream profile = Seccomp.class.getResourceAsStream("seccomp.json")) {
            if (profile == null) {
                throw new IllegalStateException("seccomp.json is not in the jar");
            }
            return new String(profile.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
