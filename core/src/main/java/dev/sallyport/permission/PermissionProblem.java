package dev.sallyport.permission;

/**
 * One mistake in a policy, and what its author can do about it.
 *
 * @param location where it is: {@code policy.json permission.bash}, or {@code path:line}
 */
public record PermissionProblem(String location, String description, String remedy) {

    @Override
    public String toString() {
        return "%s: %s (%s)".formatted(location, description, remedy);
    }
}
