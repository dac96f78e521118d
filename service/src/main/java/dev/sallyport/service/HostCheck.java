package dev.sallyport.service;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.net.URI;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.web.filter.OncePerRequestFilter;

/**
 * Refuses a request whose Host or Origin is not ours (S22). A page in a browser can point a name of its own at the
 * loopback address; what it cannot do is change the name the browser then sends.
 */
final class HostCheck extends OncePerRequestFilter {

    private final Set<String> allowedHosts;
    private final ProblemWriter problems;

    HostCheck(Set<String> allowedHosts, ProblemWriter problems) {
        this.allowedHosts = Set.copyOf(allowedHosts);
        this.problems = problems;
    }

    @Override
    protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws ServletException, IOException {
        String host = request.getHeader("Host");
        String origin = request.getHeader("Origin");
        if (host == null || !allowedHosts.contains(nameOf(host))) {
            problems.write(
                    response, RequestProblem.WRONG_HOST, "this service does not answer to the host it was called by");
        } else if (origin != null && !host.equalsIgnoreCase(authorityOf(origin))) {
            problems.write(response, RequestProblem.WRONG_ORIGIN, "this service takes no requests from other pages");
        } else {
            chain.doFilter(request, response);
        }
    }

    private static String nameOf(String host) {
        int port = host.lastIndexOf(':');
        boolean isPort = port >= 0 && port > host.lastIndexOf(']');
        return (isPort ? host.substring(0, port) : host).toLowerCase(Locale.ROOT);
    }

    private static @Nullable String authorityOf(String origin) {
        try {
            return URI.create(origin).getRawAuthority();
        } catch (IllegalArgumentException e) {
            return null;
        }
    }
}
