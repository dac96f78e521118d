package dev.sallyport.gateway.door;

import java.nio.ByteBuffer;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpHeaderValue;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.handler.ErrorHandler;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/** Writes RFC 9457 bodies, for our own refusals and for what Jetty refuses before any of our code runs. */
final class ProblemBody extends ErrorHandler {

    private static final HttpField TYPE = new HttpField(HttpHeader.CONTENT_TYPE, "application/problem+json");

    /** Closes the connection after a tunnel or a body that was not read, so that no later byte is taken for a request. */
    static void write(Response response, Callback callback, DoorProblem problem, boolean close) {
        if (response.isCommitted()) {
            callback.failed(problem);
            return;
        }
        response.reset();
        response.setStatus(problem.status());
        response.getHeaders().put(TYPE);
        if (problem.retryAfter() != null) {
            response.getHeaders()
                    .put(
                            HttpHeader.RETRY_AFTER,
                            Math.max(1, problem.retryAfter().toSeconds()));
        }
        if (close) {
            response.getHeaders().put(HttpHeader.CONNECTION, HttpHeaderValue.CLOSE);
        }
        response.write(true, ByteBuffer.wrap(bytes(problem)), callback);
    }

    private static byte[] bytes(DoorProblem problem) {
        ObjectNode body = Json.object()
                .put("type", "urn:sallyport:problem:" + problem.code())
                .put("status", problem.status())
                .put("code", problem.code())
                .put("detail", problem.detail());
        if (problem.remedy() != null) {
            body.put("remedy", problem.remedy());
        }
        return Json.write(body);
    }

    @Override
    protected void generateResponse(
            Request request,
            Response response,
            int status,
            @Nullable String message,
            @Nullable Throwable cause,
            Callback callback) {
        write(response, callback, unexplained(status), true);
    }

    /** Jetty's own words stay out: they may repeat what was sent, or name classes. */
    private static DoorProblem unexplained(int status) {
        return status == HttpStatus.INTERNAL_SERVER_ERROR_500
                ? new DoorProblem(status, "internal", "the gateway failed")
                : new DoorProblem(status, "request-refused", "not a request that the door takes");
    }
}
