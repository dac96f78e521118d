package dev.sallyport.gateway.child;

import dev.sallyport.gateway.sandbox.SandboxState;
import org.jspecify.annotations.Nullable;

/**
 * How a child ends.
 *
 * @param message one sentence for people
 * @param exitCode of its command, where it got as far as to have one
 */
record Ending(EndReason reason, String message, @Nullable Integer exitCode) {

    /** The runner's own code for "I could not"; anything else is the child's. */
    private static final int RUNNER_FAILED = 125;

    private static final int KILLED = 137;

    Ending(EndReason reason, String message) {
        this(reason, message, null);
    }

    static Ending of(SandboxState.Ended state) {
        return switch (state) {
            case SandboxState.Exited exited -> of(exited);
            case SandboxState.Gone _ ->
                new Ending(EndReason.RUNNER_LOST, "its sandbox disappeared without a trace of how it ended");
        };
    }

    private static Ending of(SandboxState.Exited exited) {
        int code = exited.exitCode();
        // Docker sets its flag also where only a grandchild died and the command went on; then the code decides.
        if (exited.oomKilled() && code == KILLED) {
            return new Ending(EndReason.OOM_KILLED, "it used more memory than its limit", code);
        }
        return switch (code) {
            case 0 -> new Ending(EndReason.EXITED, "it finished", code);
            case RUNNER_FAILED -> new Ending(EndReason.RUNNER_FAILED, "its runner could not do its work", code);
            default -> new Ending(EndReason.EXIT_CODE, "it ended with exit code " + code, code);
        };
    }

    ChildState state() {
        return reason.state();
    }
}
