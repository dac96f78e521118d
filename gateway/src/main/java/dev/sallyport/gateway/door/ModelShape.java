package dev.sallyport.gateway.door;

import java.util.Locale;

/** Which of the two request and answer formats a provider speaks. */
public enum ModelShape {
    /** Anthropic Messages. */
    MESSAGES,
    /** OpenAI Chat Completions. */
    CHAT;

    public String wire() {
        return name().toLowerCase(Locale.ROOT);
    }
}
