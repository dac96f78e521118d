package dev.sallyport.gateway.sandbox;

/** What a child finds at {@code /workspace}. */
public sealed interface WorkspaceMount {

    /** An empty read-only directory. */
    record None() implements WorkspaceMount {}

    /** A directory of the host. The source comes from {@code BindSources}, which checked it (S5, S6). */
    record Bind(BindSource source, boolean readOnly) implements WorkspaceMount {}

    /** The child's private clone, writable. */
    record Volume(VolumeId volume) implements WorkspaceMount {}
}
