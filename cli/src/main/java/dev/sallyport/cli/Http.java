package dev.sallyport.cli;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.ProtocolException;
import java.net.Socket;
import java.net.URI;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;
import org.jspecify.annotations.Nullable;

/**
 * One request of HTTP/1.1 on a connection of its own. The JDK's {@code HttpClient} alone takes longer to start than a whole quick verb may
 * (P25), and {@code HttpURLConnection} repeats a POST by itself and hides the body of a 401.
 */
final class Http {

    private static final Duration CONNECT = Duration.ofSeconds(5);
    private static final int MAX_LINE = 64 * 1024;
    private static final int MAX_HEADERS = 200;

    private Http() {}

    /** @param body null for none; {@code silence} is the longest that the service may say nothing */
    @SuppressWarnings("ArrayRecordComponent") // sent once, never compared
    record Request(String method, String path, Map<String, String> headers, byte @Nullable [] body, Duration silence) {}

    /** Header names are in lower case. Whoever takes it closes it. */
    record Response(int status, Map<String, String> headers, InputStream body, Socket socket) implements Closeable {

        String text() throws IOException {
            return new String(body.readAllBytes(), UTF_8);
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }

    /** @throws java.net.ConnectException if nothing listens there; nothing has been sent then */
    static Response send(URI service, Request request) throws IOException {
        Socket socket = connect(service);
        try {
            socket.setSoTimeout(Math.toIntExact(request.silence().toMillis()));
            socket.setTcpNoDelay(true);
            OutputStream out = socket.getOutputStream();
            out.write(head(service, request).getBytes(ISO_8859_1));
            if (request.body() != null) {
                out.write(request.body());
            }
            out.flush();
            return read(socket);
        } catch (IOException | RuntimeException e) {
            socket.close();
            throw e;
        }
    }

    private static Socket connect(URI service) throws IOException {
        boolean secure = "https".equals(service.getScheme());
        int port = service.getPort() == -1 ? secure ? 443 : 80 : service.getPort();
        // Never a proxy of the environment: this is a conversation with Sallyport itself.
        Socket socket = new Socket(java.net.Proxy.NO_PROXY);
        try {
            socket.connect(new InetSocketAddress(service.getHost(), port), Math.toIntExact(CONNECT.toMillis()));
            if (!secure) {
                return socket;
            }
            SSLSocketFactory factory = (SSLSocketFactory) SSLSocketFactory.getDefault();
            SSLSocket tls = (SSLSocket) factory.createSocket(socket, service.getHost(), port, true);
            SSLParameters parameters = tls.getSSLParameters();
            parameters.setEndpointIdentificationAlgorithm("HTTPS");
            tls.setSSLParameters(parameters);
            tls.startHandshake();
            return tls;
        } catch (IOException | RuntimeException e) {
            socket.close();
            throw e;
        }
    }

    private static String head(URI service, Request request) {
        StringBuilder head = new StringBuilder();
        String prefix = service.getRawPath() == null ? "" : service.getRawPath().replaceAll("/+$", "");
        head.append(request.method()).append(' ').append(prefix).append(request.path());
        head.append(" HTTP/1.1\r\nHost: ").append(service.getRawAuthority()).append("\r\nConnection: close\r\n");
        request.headers().forEach((name, value) -> {
            if (value.chars().anyMatch(c -> c < 0x20 || c > 0x7e)) {
                throw new IllegalArgumentException("header %s (expected: printable ASCII)".formatted(name));
            }
            head.append(name).append(": ").append(value).append("\r\n");
        });
        if (request.body() != null) {
            head.append("Content-Length: ").append(request.body().length).append("\r\n");
        }
        return head.append("\r\n").toString();
    }

    private static Response read(Socket socket) throws IOException {
        InputStream in = new BufferedInputStream(socket.getInputStream(), 16 * 1024);
        String[] status = line(in).split(" ", 3);
        if (status.length < 2 || !status[0].startsWith("HTTP/1.") || !status[1].matches("[0-9]{3}")) {
            throw new ProtocolException("the answer is not HTTP/1.1");
        }
        Map<String, String> headers = new LinkedHashMap<>();
        for (String line = line(in); !line.isEmpty(); line = line(in)) {
            int colon = line.indexOf(':');
            if (colon < 1 || headers.size() >= MAX_HEADERS) {
                throw new ProtocolException("the answer has bad headers");
            }
            headers.put(
                    line.substring(0, colon).toLowerCase(Locale.ROOT),
                    line.substring(colon + 1).strip());
        }
        return new Response(
                Integer.parseInt(status[1]), headers, body(Integer.parseInt(status[1]), headers, in), socket);
    }

    private static InputStream body(int status, Map<String, String> headers, InputStream in) throws IOException {
        String length = headers.get("content-length");
        if (status == 204 || status == 304) {
            return InputStream.nullInputStream();
        }
        if ("chunked".equalsIgnoreCase(headers.get("transfer-encoding"))) {
            return new Chunked(in);
        }
        if (length == null) {
            return in;
        }
        try {
            return new Counted(in, Long.parseLong(length));
        } catch (NumberFormatException e) {
            throw new ProtocolException("the answer has a bad length");
        }
    }

    private static String line(InputStream in) throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream(128);
        for (int b = in.read(); b != '\n'; b = in.read()) {
            if (b < 0) {
                throw new EOFException("the service closed the connection");
            }
            if (line.size() >= MAX_LINE) {
                throw new ProtocolException("the answer has a line without end");
            }
            line.write(b);
        }
        String text = line.toString(ISO_8859_1);
        return text.endsWith("\r") ? text.substring(0, text.length() - 1) : text;
    }

    /** A body that ends where its chunk or its length ends; one that stops before is an error, not a short answer. */
    private abstract static class Framed extends InputStream {

        private final InputStream in;
        private long left;

        Framed(InputStream in, long left) {
            this.in = in;
            this.left = left;
        }

        /** Called when nothing is left: the size of what follows, or 0 at the end. */
        abstract long next() throws IOException;

        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
        }

        @Override
        public int read(byte[] target, int offset, int length) throws IOException {
            if (length == 0) {
                return 0;
            }
            if (left == 0) {
                left = next();
            }
            if (left == 0) {
                return -1;
            }
            int read = in.read(target, offset, (int) Math.min(length, left));
            if (read < 0) {
                throw new EOFException("the answer was cut off");
            }
            left -= read;
            return read;
        }
    }

    private static final class Counted extends Framed {

        Counted(InputStream in, long length) {
            super(in, length);
        }

        @Override
        long next() {
            return 0;
        }
    }

    private static final class Chunked extends Framed {

        private final InputStream in;
        private boolean first = true;
        private boolean ended;

        Chunked(InputStream in) {
            super(in, 0);
            this.in = in;
        }

        @Override
        long next() throws IOException {
            if (ended) {
                return 0;
            }
            if (!first && !line(in).isEmpty()) {
                throw new ProtocolException("the answer has a bad chunk");
            }
            first = false;
            long size;
            try {
                size = Long.parseUnsignedLong(line(in).replaceFirst(";.*", "").strip(), 16);
            } catch (NumberFormatException e) {
                throw new ProtocolException("the answer has a bad chunk");
            }
            ended = size == 0;
            return size;
        }
    }
}
