package dev.sallyport.agentfile;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The YAML block at the head of an agent file, and the text after it (authority.md 2.1).
 *
 * @param value what the block says, mostly a map; an empty one if it says nothing
 * @param lines the line in the file, counted from 1, of every key by its dotted path
 */
record FrontMatter(Object value, String body, Map<String, Integer> lines) {

    private static final String FENCE = "---";
    // The fence and the one character after it, whatever it is.
    private static final int YAML_START = 4;

    static FrontMatter split(String content) throws YamlDocument.MalformedException {
        String text = content.replace("\r\n", "\n").replace('\r', '\n');
        int close = text.startsWith(FENCE) ? text.indexOf("\n" + FENCE, FENCE.length()) : -1;
        if (close < 0) {
            return new FrontMatter(Map.of(), text, Map.of());
        }
        String yaml = close < YAML_START ? "" : text.substring(YAML_START, close);
        String body = Scalars.trim(text.substring(close + YAML_START));
        int linesBefore = (int)
                text.substring(0, YAML_START).chars().filter(c -> c == '\n').count();
        YamlDocument document = YamlDocument.parse(yaml, linesBefore);
        Object value = document.value();
        return new FrontMatter(value == null ? Map.of() : value, body, document.lines());
    }

    /** Null for a field that is not there, also if the block is no map. */
    @Nullable Object get(String field) {
        return value instanceof Map<?, ?> members ? members.get(field) : null;
    }
}
