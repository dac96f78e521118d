package dev.sallyport.permissions;

import dev.sallyport.service.ProblemException;
import org.jspecify.annotations.Nullable;

/** A request that this service understood and refuses. */
public class PermissionException extends ProblemException {

    private static final long serialVersionUID = 1L;

    public PermissionException(PermissionProblem problem, String message) {
        this(problem, message, null);
    }

    public PermissionException(PermissionProblem problem, String message, @Nullable String remedy) {
        super(problem, message, remedy);
    }
}
