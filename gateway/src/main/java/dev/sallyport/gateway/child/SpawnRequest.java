package dev.sallyport.gateway.child;

import dev.sallyport.gateway.error.GatewayException.InvalidRequest;
import dev.sallyport.prompt.ParentConversation;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The body of a spawn and of a resolution, as sent. Every field is honoured or refused; null means that it is not there. */
record SpawnRequest(
        @Nullable String session,
        @Nullable String agent,
        @Nullable String prompt,
        @Nullable String description,
        @Nullable String harness,
        @Nullable List<String> command,
        @Nullable String directory,
        @Nullable String workspace,
        @Nullable List<String> network,
        @Nullable LimitsRequest limits,
        @Nullable BudgetsRequest budgets,
        @Nullable String model,
        @Nullable String thinking,
        @Nullable Double maxTurns,
        @Nullable Boolean inheritContext,
        @Nullable Boolean runInBackground,
        @Nullable Boolean isolated,
        @Nullable String isolation,
        @Nullable List<String> credentials,
        @Nullable String runtime,
        @Nullable ParentRequest parent,
        @Nullable Boolean allowSharedWrites,
        @Nullable String profile) {

    private static final int LONGEST_PROMPT = 1 << 18;
    private static final int LONGEST_COMMAND = 1 << 17;
    private static final int LONGEST_DESCRIPTION = 200;

    /** Each as people write it, such as {@code 1.5}, {@code 512m}, {@code 15m}. */
    record LimitsRequest(
            @Nullable String cpu,
            @Nullable String memory,
            @Nullable String pids,
            @Nullable String wall,
            @Nullable String disk) {

        Map<String, String> values() {
            Map<String, String> values = new LinkedHashMap<>();
            put(values, "cpu", cpu);
            put(values, "memory", memory);
            put(values, "pids", pids);
            put(values, "wall", wall);
            put(values, "disk", disk);
            return values;
        }
    }

    /** Each as people write it, such as {@code 20}, {@code 200k}, {@code 1.50}, {@code 10m}. */
    record BudgetsRequest(
            @Nullable String turns,
            @Nullable String tokens,
            @Nullable String cost,
            @Nullable String egress,
            @Nullable String children) {

        Map<String, String> values() {
            Map<String, String> values = new LinkedHashMap<>();
            put(values, "turns", turns);
            put(values, "tokens", tokens);
            put(values, "cost", cost);
            put(values, "egress", egress);
            put(values, "children", children);
            return values;
        }
    }

    private static void put(Map<String, String> values, String key, @Nullable String value) {
        if (value != null) {
            values.put(key, value);
        }
    }

    /** The same with a profile for whoever asks for none. */
    SpawnRequest withProfileOr(String fallback) {
        return with(session, agent, prompt, description, profile == null ? fallback : profile);
    }

    /**
     * The same for one that goes on where the child of this request stopped.
     *
     * @param agent by its own name, whatever name this request knew it by
     */
    SpawnRequest resumed(
            @Nullable String session, @Nullable String agent, @Nullable String prompt, @Nullable String description) {
        return with(session, agent, prompt, description, profile);
    }

    private SpawnRequest with(
            @Nullable String session,
            @Nullable String agent,
            @Nullable String prompt,
            @Nullable String description,
            @Nullable String profile) {
        return new SpawnRequest(
                session,
                agent,
                prompt,
                description,
                harness,
                command,
                directory,
                workspace,
                network,
                limits,
                budgets,
                model,
                thinking,
                maxTurns,
                inheritContext,
                runInBackground,
                isolated,
                isolation,
                credentials,
                runtime,
                parent,
                allowSharedWrites,
                profile);
    }

    /** Where the caller says that the task comes from. */
    ParentConversation conversation() {
        return parent == null ? ParentConversation.NONE : parent.conversation();
    }

    /** What can be said without knowing agents or settings: is there something to do, and is it of a sane size? */
    void requireSomethingToDo() {
        List<String> program = command == null ? List.of() : command;
        // Both is a program that gets the prompt on its standard input.
        if ((prompt == null || prompt.isBlank()) && program.isEmpty()) {
            throw new InvalidRequest("neither `prompt` nor `command` (expected: at least one of them)");
        }
        if (harness != null && program.isEmpty() != harness.equals("builtin")) {
            throw new InvalidRequest("harness `builtin` takes a `prompt`, harness `command` takes a `command`");
        }
        requireAtMost("prompt", prompt == null ? 0 : prompt.length(), LONGEST_PROMPT);
        requireAtMost("command", program.stream().mapToInt(String::length).sum(), LONGEST_COMMAND);
        requireAtMost("description", description == null ? 0 : description.length(), LONGEST_DESCRIPTION);
    }

    private static void requireAtMost(String field, int length, int most) {
        if (length > most) {
            throw new InvalidRequest("%s: %d characters (expected: at most %d)".formatted(field, length, most));
        }
    }
}
