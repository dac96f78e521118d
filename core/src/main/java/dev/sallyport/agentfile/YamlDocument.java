package dev.sallyport.agentfile;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.api.lowlevel.Parse;
import org.snakeyaml.engine.v2.common.Anchor;
import org.snakeyaml.engine.v2.common.ScalarStyle;
import org.snakeyaml.engine.v2.events.AliasEvent;
import org.snakeyaml.engine.v2.events.CollectionStartEvent;
import org.snakeyaml.engine.v2.events.DocumentEndEvent;
import org.snakeyaml.engine.v2.events.DocumentStartEvent;
import org.snakeyaml.engine.v2.events.Event;
import org.snakeyaml.engine.v2.events.MappingStartEvent;
import org.snakeyaml.engine.v2.events.NodeEvent;
import org.snakeyaml.engine.v2.events.ScalarEvent;
import org.snakeyaml.engine.v2.events.StreamEndEvent;
import org.snakeyaml.engine.v2.events.StreamStartEvent;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.ReaderException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;

/**
 * One YAML 1.2 document (core schema) of hostile origin, built from the event stream so that every bound holds before
 * anything is built: no tags, no duplicate keys, nesting and expanded size limited (T63, T65).
 *
 * <p>Values are {@code Map<String, Object>} in document order, {@code List<Object>}, {@code String}, {@code Boolean},
 * {@code Long}, {@code Double} or null.
 *
 * @param lines the line in the file, counted from 1, of every key by its dotted path
 */
public record YamlDocument(@Nullable Object value, Map<String, Integer> lines) {

    private static final int MAX_DEPTH = 20;
    private static final int MAX_ALIASES = 50;
    // With every alias counted as often as it is used.
    private static final int MAX_NODES = 10_000;

    private static final Pattern NULL = Pattern.compile("~|null|Null|NULL|");
    private static final Pattern TRUE = Pattern.compile("true|True|TRUE");
    private static final Pattern FALSE = Pattern.compile("false|False|FALSE");
    private static final Pattern INTEGER = Pattern.compile("[-+]?[0-9]+");
    private static final Pattern OCTAL = Pattern.compile("0o[0-7]+");
    private static final Pattern HEX = Pattern.compile("0x[0-9a-fA-F]+");
    private static final Pattern FLOAT = Pattern.compile("[-+]?(?:\\.[0-9]+|[0-9]+(?:\\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?");
    private static final Pattern INFINITY = Pattern.compile("[-+]?\\.(?:inf|Inf|INF)");
    private static final Pattern NAN = Pattern.compile("\\.(?:nan|NaN|NAN)");

    private static final LoadSettings SETTINGS =
            LoadSettings.builder().setUseMarks(true).setParseComments(false).build();

    /** A document that is refused; {@code line} counts from 1 and from the start of the file. */
    public static final class MalformedException extends Exception {

        private static final long serialVersionUID = 1;

        private final int line;
        private final String problem;

        MalformedException(int line, String problem) {
            super(problem);
            this.line = line;
            this.problem = problem;
        }

        public String problem() {
            return problem;
        }

        public int line() {
            return line;
        }
    }

    /** Lines are counted from the start of the file, of which {@code linesBefore} stand before the text. */
    public static YamlDocument parse(String text, int linesBefore) throws MalformedException {
        try {
            return new Builder(new Parse(SETTINGS).parseString(text).iterator(), linesBefore).document();
        } catch (MarkedYamlEngineException e) {
            int line = linesBefore
                    + e.getProblemMark().map(mark -> mark.getLine() + 1).orElse(1);
            throw new MalformedException(
                    line, oneLine(Optional.ofNullable(e.getProblem()).orElse("not YAML")));
        } catch (ReaderException e) {
            int lines = (int) text.codePoints()
                    .limit(e.getPosition())
                    .filter(c -> c == '\n')
                    .count();
            throw new MalformedException(
                    linesBefore + lines + 1, "character U+%04X is not allowed".formatted(e.getCodePoint()));
        } catch (YamlEngineException | IllegalArgumentException | IndexOutOfBoundsException e) {
            // The reader throws without a place for characters that YAML does not have, and now and then a bare JDK
            // exception.
            throw new MalformedException(
                    1, oneLine(Optional.ofNullable(e.getMessage()).orElse("not YAML")));
        }
    }

    private static String oneLine(String message) {
        int end = message.indexOf('\n');
        return end < 0 ? message : message.substring(0, end);
    }

    private static final class Builder {

        private record Node(@Nullable Object value, int size) {}

        private final Iterator<Event> events;
        private final int linesBefore;
        private final Map<Anchor, Node> anchors = new HashMap<>();
        private final Map<String, Integer> lines = new HashMap<>();
        private int aliases;
        private int nodes;

        Builder(Iterator<Event> events, int linesBefore) {
            this.events = events;
            this.linesBefore = linesBefore;
        }

        YamlDocument document() throws MalformedException {
            Event event = events.next();
            if (event instanceof StreamStartEvent) {
                event = events.next();
            }
            if (event instanceof StreamEndEvent) {
                return new YamlDocument(null, Map.of());
            }
            if (!(event instanceof DocumentStartEvent)) {
                throw malformed(event, "not a document");
            }
            Object value = node(events.next(), "", 1).value();
            Event end = events.next();
            if (!(end instanceof DocumentEndEvent)) {
                throw malformed(end, "more than one value");
            }
            Event last = events.next();
            if (!(last instanceof StreamEndEvent)) {
                throw malformed(last, "more than one document");
            }
            return new YamlDocument(value, Map.copyOf(lines));
        }

        private Node node(Event event, String path, int depth) throws MalformedException {
            if (depth > MAX_DEPTH) {
                throw malformed(event, "nested deeper than %d".formatted(MAX_DEPTH));
            }
            if (event instanceof AliasEvent alias) {
                return alias(alias);
            }
            if (!(event instanceof NodeEvent start)) {
                throw malformed(event, "unexpected end");
            }
            count(event, 1);
            int before = nodes;
            Object value;
            if (start instanceof ScalarEvent scalar) {
                requireNoTag(event, scalar.getTag());
                value = scalar.getScalarStyle() == ScalarStyle.PLAIN ? plain(scalar.getValue()) : scalar.getValue();
            } else {
                requireNoTag(event, ((CollectionStartEvent) start).getTag());
                value = start instanceof MappingStartEvent ? mapping(path, depth) : sequence(path, depth);
            }
            Node node = new Node(value, nodes - before + 1);
            start.getAnchor().ifPresent(anchor -> anchors.put(anchor, node));
            return node;
        }

        private Node alias(AliasEvent event) throws MalformedException {
            if (++aliases > MAX_ALIASES) {
                throw malformed(event, "more than %d aliases".formatted(MAX_ALIASES));
            }
            // An anchor is known only after its node is whole, so that nothing can contain itself.
            Node node = anchors.get(event.getAlias());
            if (node == null) {
                throw malformed(event, "alias without an anchor before it");
            }
            count(event, node.size());
            return node;
        }

        private void count(Event event, int more) throws MalformedException {
            nodes += more;
            if (nodes > MAX_NODES) {
                throw malformed(event, "more than %d values with aliases written out".formatted(MAX_NODES));
            }
        }

        private Map<String, @Nullable Object> mapping(String path, int depth) throws MalformedException {
            Map<String, @Nullable Object> members = new LinkedHashMap<>();
            Map<String, Integer> seen = new HashMap<>();
            for (Event event = events.next(); event.getEventId() != Event.ID.MappingEnd; event = events.next()) {
                String key = key(event, depth);
                int line = line(event);
                Integer first = seen.putIfAbsent(key, line);
                if (first != null) {
                    throw malformed(event, "key `%s` is already on line %d".formatted(key, first));
                }
                String child = path.isEmpty() ? key : path + "." + key;
                lines.put(child, line);
                members.put(key, node(events.next(), child, depth + 1).value());
            }
            return members;
        }

        private String key(Event event, int depth) throws MalformedException {
            Object key = node(event, "", depth + 1).value();
            if (key instanceof Map || key instanceof List) {
                throw malformed(event, "a key that is not a word");
            }
            return Scalars.text(key);
        }

        private List<@Nullable Object> sequence(String path, int depth) throws MalformedException {
            List<@Nullable Object> items = new ArrayList<>();
            for (Event event = events.next(); event.getEventId() != Event.ID.SequenceEnd; event = events.next()) {
                items.add(node(event, path, depth + 1).value());
            }
            return items;
        }

        private void requireNoTag(Event event, Optional<String> tag) throws MalformedException {
            if (tag.isPresent()) {
                throw malformed(event, "tag `%s`: tags are not allowed".formatted(tag.get()));
            }
        }

        private MalformedException malformed(Event event, String message) {
            return new MalformedException(line(event), message);
        }

        private int line(Event event) {
            return linesBefore
                    + event.getStartMark().map(mark -> mark.getLine() + 1).orElse(1);
        }
    }

    private static @Nullable Object plain(String text) {
        if (NULL.matcher(text).matches()) {
            return null;
        }
        if (TRUE.matcher(text).matches()) {
            return true;
        }
        if (FALSE.matcher(text).matches()) {
            return false;
        }
        if (INTEGER.matcher(text).matches()) {
            return integer(new BigInteger(text));
        }
        if (OCTAL.matcher(text).matches()) {
            return integer(new BigInteger(text.substring(2), 8));
        }
        if (HEX.matcher(text).matches()) {
            return integer(new BigInteger(text.substring(2), 16));
        }
        if (INFINITY.matcher(text).matches()) {
            return text.startsWith("-") ? Double.NEGATIVE_INFINITY : Double.POSITIVE_INFINITY;
        }
        if (NAN.matcher(text).matches()) {
            return Double.NaN;
        }
        return FLOAT.matcher(text).matches() ? (Object) Double.valueOf(text) : text;
    }

    private static Number integer(BigInteger value) {
        return value.bitLength() < 54 ? (Number) value.longValue() : (Number) value.doubleValue();
    }
}
