package dev.sallyport.ask;

import dev.sallyport.identity.CallId;
import dev.sallyport.identity.ChildId;
import dev.sallyport.identity.SessionId;
import dev.sallyport.identity.Tenant;
import dev.sallyport.json.CanonicalJson;
import dev.sallyport.json.Digests;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** What an approval is bound to (S26): lower-case hexadecimal SHA-256 over all of an {@link Action}. */
public record AskDigest(String value) {

    private static final Pattern FORM = Pattern.compile("[0-9a-f]{64}");

    public AskDigest {
        if (!FORM.matcher(value).matches()) {
            throw new IllegalArgumentException("digest (expected: 64 of 0-9 a-f)");
        }
    }

    /**
     * One thing that a child wants to do.
     *
     * @param generation how often this has been asked anew after its child was restarted or the ask superseded, from 0
     * @param values the surface's values in order, as a person is shown them
     * @param toolDefinition digest of the tool's definition (MCP: server and schema)
     * @param arguments canonical JSON; see {@link #of}
     * @param directory as the child claims it
     * @param target {@code host:port}, for the network
     */
    public record Action(
            Tenant tenant,
            SessionId session,
            ChildId child,
            String incarnation,
            CallId call,
            long generation,
            String surface,
            List<String> values,
            @Nullable String tool,
            @Nullable String toolDefinition,
            @Nullable String arguments,
            @Nullable String directory,
            @Nullable String target,
            String authorityDigest) {

        /** Refuses arguments with duplicate keys, lone surrogates or numbers beyond 2^53. */
        public Action {
            values = List.copyOf(values);
            arguments = arguments == null ? null : CanonicalJson.canonicalize(arguments);
        }
    }

    public static AskDigest of(Action action) {
        return new AskDigest(Digests.of("sallyport-ask-v1")
                .field(action.tenant().value())
                .field(action.session().value())
                .field(action.child().value())
                .field(action.incarnation())
                .field(action.call().value())
                .field(action.generation())
                .field(action.surface())
                .fields(action.values())
                .field(action.tool())
                .field(action.toolDefinition())
                .field(action.arguments())
                .field(action.directory())
                .field(action.target())
                .field(action.authorityDigest())
                .hex());
    }

    @Override
    public String toString() {
        return value;
    }
}
