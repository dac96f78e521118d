package dev.sallyport.containment;

import java.util.Locale;

/**
 * What a child may do with the directory it works on.
 *
 * <p>The order is a diamond, not a line: {@link #NONE} is below and {@link #READ_WRITE} above everything, while
 * {@link #READ_ONLY} and {@link #CLONE} are not comparable. A read-only mount shows uncommitted and ignored files that a
 * clone does not carry; a clone comes back as a branch, which a read-only mount cannot. Their meet is therefore
 * {@link #NONE}.
 */
public enum WorkspaceAccess {
    NONE,
    READ_ONLY,
    CLONE,
    READ_WRITE;

    public boolean atMost(WorkspaceAccess other) {
        return this == other || this == NONE || other == READ_WRITE;
    }

    /** The most that both allow. */
    public WorkspaceAccess meet(WorkspaceAccess other) {
        if (atMost(other)) {
            return this;
        }
        return other.atMost(this) ? other : NONE;
    }

    /** {@code none}, {@code read-only}, {@code clone} or {@code read-write}. */
    public String wire() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    public static WorkspaceAccess parse(String value) {
        for (WorkspaceAccess access : values()) {
            if (access.wire().equals(value)) {
                return access;
            }
        }
        throw new IllegalArgumentException(
                "workspace: `%s` (expected: none, read-only, read-write or clone)".formatted(value));
    }
}
