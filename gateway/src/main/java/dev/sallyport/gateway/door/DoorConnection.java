package dev.sallyport.gateway.door;

import org.eclipse.jetty.http.HttpVersion;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.server.Connector;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.internal.HttpConnection;

/**
 * Remembers the request target as it was sent. Jetty completes an origin-form target with the Host header, after which it
 * looks like the absolute form; but the one is a route of ours and the other is egress (S10).
 */
final class DoorConnection extends HttpConnection {

    // Written before the request is handled; the next one on this connection is parsed after that.
    private volatile String target = "";

    private DoorConnection(HttpConfiguration configuration, Connector connector, EndPoint endPoint) {
        super(configuration, connector, endPoint);
    }

    static String target(Request request) {
        return ((DoorConnection) request.getConnectionMetaData()).target;
    }

    static Doorway doorway(Request request) {
        return ((DoorEndPoint) request.getConnectionMetaData().getConnection().getEndPoint()).doorway();
    }

    @Override
    protected HttpStreamOverHTTP1 newHttpStream(String method, String uri, HttpVersion version) {
        target = uri;
        return super.newHttpStream(method, uri, version);
    }

    static final class Factory extends HttpConnectionFactory {

        Factory(HttpConfiguration configuration) {
            super(configuration);
        }

        @Override
        public Connection newConnection(Connector connector, EndPoint endPoint) {
            return configure(new DoorConnection(getHttpConfiguration(), connector, endPoint), connector, endPoint);
        }
    }
}
