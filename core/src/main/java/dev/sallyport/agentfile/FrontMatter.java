package dev.sallyport.agentfile;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The YAML block at the head of an agent file, and the text after it (authority.md 2.1).
 *
 * @param values what the block says; empty for a block that is no map
 * @param lines the line in the file, counted from 1, of every key by its dotted path
 */
record FrontMatter(Map<String, @Nullable Object> values, String body, Map<String, Integer> lines) {

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
        YamlDocument document;
        try {
            document = YamlDocument.parse(yaml);
        } catch (YamlDocument.MalformedException e) {
            throw new YamlDocument.MalformedException(e.line() + linesBefore, e.problem());
        }
        Map<String, @Nullable Object> values = new LinkedHashMap<>();
        if (document.value() instanceof Map<?, ?> members) {
            members.forEach((key, value) -> values.put((String) key, value));
        }
        Map<String, Integer> lines = new LinkedHashMap<>();
        document.lines().forEach((path, line) -> lines.put(path, line + linesBefore));
        return new FrontMatter(values, body, lines);
    }
}
