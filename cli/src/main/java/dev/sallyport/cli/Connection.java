package dev.sallyport.cli;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Where Sallyport answers and who is asking. The token lives in this object only: never in an argument, a variable or a message.
 */
final class Connection {

    enum As {
        /** May spawn and observe: what a verb is that an agent may use too (S23). */
        SESSION,
        /** May also approve and operate: a person at a terminal. */
        PERSON
    }

    /** Of the local installation, or named by the user. */
    private final boolean local;

    private final Home home;
    private final Environment environment;
    private final Optional<Path> tokenFile;
    private final As as;
    private Home.Endpoint endpoint;
    private @Nullable String token;

    private Connection(Environment environment, Optional<Path> tokenFile, As as) {
        this.environment = environment;
        this.home = Home.of(environment);
        this.tokenFile = tokenFile;
        this.as = as;
        this.local = environment.variable("SALLYPORT_GATEWAY").isEmpty()
                && environment.variable("SALLYPORT_PERMISSIONS").isEmpty();
        this.endpoint = local ? home.endpoint() : named(environment);
    }

    /** @throws Failure if Sallyport is not running, or if a person is needed and there is none */
    static Connection open(Environment environment, @Nullable Path tokenFile, As as) {
        if (as == As.PERSON && !environment.terminal().interactive()) {
            throw Failure.of(
                    "terminal-required", "this needs a person: run it in an interactive terminal, not from a program");
        }
        return openChecked(environment, tokenFile, as);
    }

    /** As {@link #open}, where the caller has asked the person in another way. */
    static Connection openChecked(Environment environment, @Nullable Path tokenFile, As as) {
        Optional<Path> named = Optional.ofNullable(tokenFile)
                .or(() -> environment.variable("SALLYPORT_TOKEN_FILE").map(Path::of));
        return new Connection(environment, named, as);
    }

    Api gateway() {
        return new Api(this, Home.Endpoint::gateway);
    }

    Api permissions() {
        return new Api(this, Home.Endpoint::permissions);
    }

    Environment environment() {
        return environment;
    }

    Home home() {
        return home;
    }

    /** The installation's id; the gateway's address where that is not known. */
    synchronized String installation() {
        return endpoint.installation().isEmpty() ? endpoint.gateway().toString() : endpoint.installation();
    }

    boolean local() {
        return local;
    }

    synchronized Home.Endpoint endpoint() {
        return endpoint;
    }

    synchronized String token() {
        if (token == null) {
            token = readToken();
        }
        return token;
    }

    /** Reads everything again: a Sallyport that started anew has other ports and another key. */
    synchronized void refresh() {
        if (local) {
            endpoint = home.endpoint();
        }
        token = null;
    }

    Failure unreachable(URI service, IOException cause) {
        return local ? Failure.notRunning() : Failure.unreachable(service, cause);
    }

    private String readToken() {
        if (tokenFile.isPresent()) {
            try {
                return Files.readString(tokenFile.get()).strip();
            } catch (IOException e) {
                throw Failure.of("token-unreadable", "cannot read the token file: " + tokenFile.get());
            }
        }
        if (!local) {
            // The local installation's token is never sent to another address.
            throw Failure.of(
                    "token-missing",
                    "no token for " + endpoint.gateway(),
                    "name a file that holds it: --session-token-file or SALLYPORT_TOKEN_FILE");
        }
        return switch (as) {
            case SESSION -> home.sessionToken();
            case PERSON -> home.login();
        };
    }

    private static Home.Endpoint named(Environment environment) {
        return new Home.Endpoint(
                address(environment, "SALLYPORT_GATEWAY"), address(environment, "SALLYPORT_PERMISSIONS"), "");
    }

    private static URI address(Environment environment, String variable) {
        String value = environment
                .variable(variable)
                .orElseThrow(() -> Failure.of(
                        "address-missing", variable + " is not set (expected: it and its counterpart, or neither)"));
        try {
            URI address = URI.create(value);
            String scheme = String.valueOf(address.getScheme()).toLowerCase(Locale.ROOT);
            String host = String.valueOf(address.getHost());
            boolean loopback = host.equals("localhost") || host.matches("127(\\.[0-9]+){3}") || host.equals("[::1]");
            if (address.getHost() != null
                    && address.getUserInfo() == null
                    && (scheme.equals("https") || (loopback && scheme.equals("http")))) {
                return address;
            }
        } catch (IllegalArgumentException e) {
            // said below
        }
        throw Failure.of(
                "address-invalid",
                "%s: `%s` (expected: https, or http to this machine, so that the token is not sent in the clear)"
                        .formatted(variable, value));
    }
}
