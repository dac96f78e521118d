package dev.sallyport.prompt;

import org.jspecify.annotations.Nullable;

/**
 * Where a task was delegated from (P7).
 *
 * @param systemPrompt null if not known
 * @param claimed whether a caller only says so; otherwise it is what the gateway itself saw
 */
public record ParentConversation(@Nullable String systemPrompt, ParentContext messages, boolean claimed) {

    public static final ParentConversation NONE = new ParentConversation(null, ParentContext.NONE, false);

    /** Whether there is a prompt to append to. */
    public boolean hasPrompt() {
        return systemPrompt != null && !systemPrompt.isEmpty();
    }

    /** Whether anything was said that a child could be told. */
    public boolean hasMessages() {
        return !messages.before("").isEmpty();
    }
}
