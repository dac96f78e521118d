package dev.sallyport.gateway.child;

import dev.sallyport.gateway.error.GatewayException.InvalidRequest;
import dev.sallyport.prompt.ParentContext;
import dev.sallyport.prompt.ParentConversation;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Where a caller says that its task comes from (P7). Nobody can check that: it is marked as the caller's claim. */
record ParentRequest(
        @Nullable String systemPrompt, @Nullable List<MessageRequest> messages) {

    private static final int LONGEST_PROMPT = 1 << 17;
    private static final int MOST_MESSAGES = 1_000;
    private static final int LONGEST_CONVERSATION = 1 << 18;
    private static final String SUMMARY = "summary";
    private static final Set<String> ROLES = Set.of("user", "assistant", SUMMARY, "tool", "toolResult");

    /**
     * One message.
     *
     * @param role {@code summary} is what older messages were shortened to; a tool's is taken and not passed on
     * @param content a text, or blocks {@code {type, text}} of which those of type {@code text} count
     */
    record MessageRequest(@Nullable String role, @Nullable Object content) {

        ParentContext.Entry entry() {
            if (role == null || !ROLES.contains(role)) {
                throw new InvalidRequest("parent.messages: role `%s` (expected: user, assistant, summary or tool)"
                        .formatted(String.valueOf(role)));
            }
            List<ParentContext.Block> blocks = blocks();
            return role.equals(SUMMARY)
                    ? new ParentContext.Entry.Summary(String.join(
                            "\n", blocks.stream().map(MessageRequest::text).toList()))
                    : new ParentContext.Entry.Message(role, blocks);
        }

        private static String text(ParentContext.Block block) {
            return block.text() == null ? "" : block.text();
        }

        private List<ParentContext.Block> blocks() {
            return switch (content) {
                case String text -> List.of(new ParentContext.Block(ParentContext.Block.TEXT, text));
                case List<?> items -> {
                    List<ParentContext.Block> blocks = new ArrayList<>();
                    items.forEach(item -> blocks.add(block(item)));
                    yield blocks;
                }
                case null, default -> throw contentInvalid();
            };
        }

        private static ParentContext.Block block(@Nullable Object item) {
            if (item instanceof Map<?, ?> block && block.get("type") instanceof String type) {
                return new ParentContext.Block(type, block.get("text") instanceof String text ? text : null);
            }
            throw contentInvalid();
        }

        private static InvalidRequest contentInvalid() {
            return new InvalidRequest("parent.messages: content (expected: a text, or blocks with a `type`)");
        }
    }

    ParentConversation conversation() {
        List<MessageRequest> said = messages == null ? List.of() : messages;
        requireAtMost(
                "parent.systemPrompt", "characters", systemPrompt == null ? 0 : systemPrompt.length(), LONGEST_PROMPT);
        requireAtMost("parent.messages", "messages", said.size(), MOST_MESSAGES);
        ParentContext context =
                new ParentContext(said.stream().map(MessageRequest::entry).toList());
        requireAtMost("parent.messages", "characters", context.before("").length(), LONGEST_CONVERSATION);
        return new ParentConversation(systemPrompt, context, true);
    }

    private static void requireAtMost(String field, String unit, int size, int most) {
        if (size > most) {
            throw new InvalidRequest("%s: %d %s (expected: at most %d)".formatted(field, size, unit, most));
        }
    }
}
