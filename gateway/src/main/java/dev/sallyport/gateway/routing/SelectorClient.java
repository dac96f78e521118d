package dev.sallyport.gateway.routing;

import dev.sallyport.gateway.door.AddressCheck;
import dev.sallyport.gateway.door.PublicAddresses;
import dev.sallyport.gateway.door.Resolver;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.eclipse.jetty.client.BytesRequestContent;
import org.eclipse.jetty.client.HttpClient;
import org.eclipse.jetty.client.InputStreamResponseListener;
import org.eclipse.jetty.client.Request;
import org.eclipse.jetty.client.Response;
import org.eclipse.jetty.client.transport.HttpClientTransportOverHTTP;
import org.eclipse.jetty.http.HttpCookieStore;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpMethod;
import org.eclipse.jetty.io.ClientConnector;
import org.eclipse.jetty.util.Promise;
import org.eclipse.jetty.util.ssl.SslContextFactory;

/**
 * One question over HTTPS to an address that was checked, in a given time, with a small answer and no redirects. What goes
 * wrong becomes one word: messages of the parts below name the destination, which nobody may see.
 */
public final class SelectorClient implements AutoCloseable {

    private static final int OK = 200;

    private final Resolver resolver;
    private final AddressCheck addresses;
    private final HttpClient client;

    /** Asks DNS, trusts the certificates that Java trusts, and connects to public addresses only. */
    public static SelectorClient start() {
        return start(Resolver.system(), new PublicAddresses(), new SslContextFactory.Client());
    }

    static SelectorClient start(Resolver resolver, AddressCheck addresses, SslContextFactory.Client tls) {
        SelectorClient selector = new SelectorClient(resolver, addresses, tls);
        try {
            selector.client.start();
            // They follow redirects, answer challenges and offer encodings.
            selector.client.getProtocolHandlers().clear();
            selector.client.getContentDecoderFactories().clear();
        } catch (Exception e) {
            throw new IllegalStateException("the selector's client did not start", e);
        }
        return selector;
    }

    private SelectorClient(Resolver resolver, AddressCheck addresses, SslContextFactory.Client tls) {
        this.resolver = resolver;
        this.addresses = addresses;
        ClientConnector connector = new ClientConnector();
        connector.setSslContextFactory(tls);
        this.client = new HttpClient(new HttpClientTransportOverHTTP(connector));
        client.setName("selector");
        client.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        client.setSocketAddressResolver(
                (host, port, _, promise) -> client.getExecutor().execute(() -> resolve(host, port, promise)));
        client.setFollowRedirects(false);
        client.setUserAgentField(null);
        client.setHttpCookieStore(new HttpCookieStore.Empty());
    }

    /** Why there is no answer. */
    static final class NoAnswerException extends Exception {

        private static final long serialVersionUID = 1L;

        private final Selection.Outcome outcome;

        NoAnswerException(Selection.Outcome outcome) {
            super(outcome.wire());
            this.outcome = outcome;
        }

        Selection.Outcome outcome() {
            return outcome;
        }
    }

    /** Refuses every address that may not be connected to; those that may are the ones that are dialled. */
    private void resolve(String host, int port, Promise<List<InetSocketAddress>> promise) {
        try {
            List<InetSocketAddress> allowed = new ArrayList<>();
            for (InetAddress address : resolver.resolve(host)) {
                if (addresses.allows(address)) {
                    // The certificate is checked against the name in here, whatever name the address came with.
                    InetAddress named = InetAddress.getByAddress(host, address.getAddress());
                    allowed.add(new InetSocketAddress(named, port));
                }
            }
            if (allowed.isEmpty()) {
                promise.failed(new NoAnswerException(Selection.Outcome.ADDRESS_REFUSED));
            } else {
                promise.succeeded(allowed);
            }
        } catch (UnknownHostException e) {
            promise.failed(new NoAnswerException(Selection.Outcome.UNRESOLVED));
        } catch (RuntimeException e) {
            promise.failed(e);
        }
    }

    /** The body of a 200 that is no longer than {@code limit} bytes. */
    byte[] ask(SelectorUrl url, String key, byte[] question, Duration timeout, int limit)
            throws NoAnswerException, InterruptedException {
        Request request = client.newRequest(url.uri())
                .method(HttpMethod.POST)
                .headers(headers -> headers.put(HttpHeader.AUTHORIZATION, "Bearer " + key)
                        .put(HttpHeader.ACCEPT, "application/json"))
                .body(new BytesRequestContent("application/json", question))
                .timeout(timeout.toMillis(), TimeUnit.MILLISECONDS);
        try (InputStreamResponseListener listener = new InputStreamResponseListener()) {
            request.send(listener);
            Response response = listener.get(timeout.toMillis(), TimeUnit.MILLISECONDS);
            requireOk(response.getStatus());
            return content(listener, limit);
        } catch (TimeoutException e) {
            throw new NoAnswerException(Selection.Outcome.TIMEOUT);
        } catch (ExecutionException | IOException e) {
            throw noAnswer(e);
        } finally {
            var _ = request.abort(new IOException("done"));
        }
    }

    private static void requireOk(int status) throws NoAnswerException {
        if (status >= 300 && status < 400) {
            throw new NoAnswerException(Selection.Outcome.REDIRECTED);
        }
        if (status != OK) {
            throw new NoAnswerException(Selection.Outcome.STATUS_REFUSED);
        }
    }

    private static byte[] content(InputStreamResponseListener listener, int limit)
            throws IOException, NoAnswerException {
        try (InputStream content = listener.getInputStream()) {
            byte[] bytes = content.readNBytes(limit + 1);
            if (bytes.length > limit) {
                throw new NoAnswerException(Selection.Outcome.TOO_LARGE);
            }
            return bytes;
        }
    }

    private static NoAnswerException noAnswer(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof NoAnswerException known) {
                return known;
            }
            if (cause instanceof TimeoutException) {
                return new NoAnswerException(Selection.Outcome.TIMEOUT);
            }
        }
        return new NoAnswerException(Selection.Outcome.UNREACHABLE);
    }

    @Override
    public void close() {
        try {
            client.stop();
        } catch (Exception e) {
            throw new IllegalStateException("the selector's client did not stop", e);
        }
    }
}
