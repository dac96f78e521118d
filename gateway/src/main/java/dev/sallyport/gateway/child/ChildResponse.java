package dev.sallyport.gateway.child;

import com.fasterxml.jackson.annotation.JsonRawValue;
import dev.sallyport.containment.Budgets;
import dev.sallyport.gateway.budget.Kind;
import dev.sallyport.gateway.workspace.Workspaces;
import dev.sallyport.identity.ChildId;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A child as clients see it. */
record ChildResponse(
        String id,
        String session,
        @Nullable String parent,
        @Nullable String resumes,
        @Nullable String resumedBy,
        String agent,
        String description,
        String state,
        @Nullable String reason,
        @Nullable String message,
        String harness,
        @Nullable String model,
        boolean scripted,
        boolean parentClaimed,
        String workspace,
        @Nullable String directory,
        @Nullable String branch,
        @Nullable String base,
        @Nullable Integer uncommittedFiles,
        Instant createdAt,
        @Nullable Instant startedAt,
        @Nullable Instant endedAt,
        @Nullable Integer exitCode,
        UsageResponse usage,
        Map<String, BudgetResponse> budgets,
        Child.Decisions decisions,
        @JsonRawValue String containment,
        String authorityDigest) {

    /** @param costUsd of the tokens whose price is known, so null for a model without a price and before its first call */
    record UsageResponse(
            long modelCalls,
            long inputTokens,
            long outputTokens,
            @Nullable BigDecimal costUsd) {

        static UsageResponse of(Child.Usage usage) {
            BigDecimal cost = usage.costUsd();
            return new UsageResponse(
                    usage.modelCalls(),
                    usage.inputTokens(),
                    usage.outputTokens(),
                    cost == null ? null : cost.stripTrailingZeros());
        }
    }

    /**
     * One budget of the child and of all below it; cost in USD, egress in bytes.
     *
     * @param held by model calls on their way
     */
    record BudgetResponse(BigDecimal limit, BigDecimal used, BigDecimal held) {

        static Map<String, BudgetResponse> of(Map<Kind, Child.Spent> budgets) {
            Map<String, BudgetResponse> responses = new LinkedHashMap<>();
            budgets.forEach((kind, spent) -> responses.put(
                    kind.key(),
                    new BudgetResponse(
                            amount(kind, spent.most()), amount(kind, spent.used()), amount(kind, spent.held()))));
            return responses;
        }

        private static BigDecimal amount(Kind kind, long amount) {
            return kind == Kind.COST ? Budgets.usd(amount) : BigDecimal.valueOf(amount);
        }
    }

    static ChildResponse of(Child child) {
        Terms terms = child.terms();
        Terms.Model model = terms.model();
        // Decided is not ended: until nothing of it runs any more, it has no reason.
        Ending ending = child.endedAt() == null ? null : child.ending();
        return new ChildResponse(
                child.id().value(),
                child.session().value(),
                value(child.parent()),
                value(child.resumes()),
                value(child.resumedBy()),
                terms.agent(),
                terms.description(),
                child.state().wire(),
                ending == null ? null : ending.reason().wire(),
                ending == null ? null : ending.message(),
                terms.harness().wire(),
                model == null ? null : model.name(),
                model != null && model.scripted(),
                Boolean.TRUE.equals(terms.parentClaimed()),
                terms.workspace().access().wire(),
                terms.workspace().directory(),
                branch(child),
                child.base(),
                terms.workspace().uncommittedFiles(),
                child.createdAt(),
                child.startedAt(),
                child.endedAt(),
                ending == null ? null : ending.exitCode(),
                UsageResponse.of(child.usage()),
                BudgetResponse.of(child.budgets()),
                child.decisions(),
                child.containment(),
                terms.authorityDigest());
    }

    private static @Nullable String value(@Nullable ChildId id) {
        return id == null ? null : id.value();
    }

    /** Null until there is one. */
    static @Nullable String branch(Child child) {
        return Clones.changed(child).isPresent() ? Workspaces.branch(child.id()) : null;
    }
}
