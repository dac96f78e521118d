package dev.sallyport.service;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.concurrent.Semaphore;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.security.oauth2.server.resource.authentication.JwtAuthenticationToken;
import org.springframework.web.filter.OncePerRequestFilter;

/**
 * Keeps what callers send from filling the heap: no body beyond a bound, and few of the large ones at a time. Services are
 * not held to it: what they send was counted where it came in, and they wait with it.
 */
final class BodyLimit extends OncePerRequestFilter {

    /** A task with the longest conversation, several times over. */
    static final int MOST = 2 << 20;

    private static final int SMALL = 64 << 10;
    private static final int LARGE_AT_ONCE = 2;

    private final ProblemWriter problems;
    private final Semaphore large = new Semaphore(LARGE_AT_ONCE);

    BodyLimit(ProblemWriter problems) {
        this.problems = problems;
    }

    @Override
    protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws ServletException, IOException {
        long length = request.getContentLengthLong();
        if (length < 0 && request.getHeader("Transfer-Encoding") != null) {
            problems.write(response, RequestProblem.LENGTH_MISSING, "a body needs a Content-Length");
        } else if (length > MOST) {
            problems.write(
                    response,
                    RequestProblem.TOO_LARGE,
                    "body: %d bytes (expected: at most %d)".formatted(length, MOST));
        } else if (length <= SMALL || isService()) {
            chain.doFilter(request, response);
        } else if (large.tryAcquire()) {
            try {
                chain.doFilter(request, response);
            } finally {
                large.release();
            }
        } else {
            response.setHeader("Retry-After", "1");
            problems.write(response, RequestProblem.TOO_MUCH_AT_ONCE, "other large requests are being read");
        }
    }

    private static boolean isService() {
        return SecurityContextHolder.getContext().getAuthentication() instanceof JwtAuthenticationToken token
                && Caller.of(token.getToken()).kind() == Caller.Kind.SERVICE;
    }
}
