package dev.sallyport.gateway.child;

import dev.sallyport.gateway.child.ChildResponse.UsageResponse;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What came of a child.
 *
 * @param outcome its final state
 * @param output as reported by the child
 * @param tip null without a branch
 * @param parentClaimed whether its prompt or task carried what the caller claimed of its parent (P7)
 * @param salvage file on the gateway's host that holds the work of a clone that could not deliver it
 */
record ResultResponse(
        String outcome,
        String reason,
        String message,
        @Nullable Integer exitCode,
        @Nullable String output,
        @Nullable String branch,
        @Nullable String base,
        @Nullable String tip,
        List<String> changedFiles,
        UsageResponse usage,
        Child.Decisions decisions,
        boolean scripted,
        boolean parentClaimed,
        @Nullable String salvage) {

    static ResultResponse of(Child child, Ending ending, @Nullable String output, List<String> changedFiles) {
        Terms.Model model = child.terms().model();
        return new ResultResponse(
                child.state().wire(),
                ending.reason().wire(),
                ending.message(),
                ending.exitCode(),
                output,
                ChildResponse.branch(child),
                child.base(),
                Clones.changed(child).orElse(null),
                changedFiles,
                UsageResponse.of(child.usage()),
                child.decisions(),
                model != null && model.scripted(),
                Boolean.TRUE.equals(child.terms().parentClaimed()),
                child.salvage());
    }
}
