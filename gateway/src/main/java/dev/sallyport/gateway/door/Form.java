package dev.sallyport.gateway.door;

import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import tools.jackson.databind.JsonNode;

/**
 * What a JSON value from a child must look like. An object has the named fields and no other: a field that nobody
 * honours is refused, and a provider's next feature is not offered until somebody reads about it (S17).
 */
interface Form {

    Form TEXT = of("a string", JsonNode::isString);
    Form NUMBER = of("a number", JsonNode::isNumber);
    Form COUNT = of(
            "a whole number from 0",
            node -> node.canConvertToLong() && node.isIntegralNumber() && node.longValue() >= 0);
    Form POSITIVE = of(
            "a whole number from 1",
            node -> node.isIntegralNumber() && node.canConvertToLong() && node.longValue() > 0);
    Form FLAG = of("true or false", JsonNode::isBoolean);
    Form NULL = of("null", JsonNode::isNull);
    /** Any object: arguments and schemas, whose fields are nobody's business here. */
    Form OBJECT = of("an object", JsonNode::isObject);

    /**
     * Accepts the value or says what was expected.
     *
     * @throws DoorProblem that names the place
     */
    void check(JsonNode value, String where);

    /** Whether the value is meant to be of this form; decides between alternatives. */
    boolean accepts(JsonNode value);

    static Form of(String expected, Predicate<JsonNode> test) {
        return new Form() {
            @Override
            public void check(JsonNode value, String where) {
                if (!test.test(value)) {
                    throw refused(where, "expected " + expected);
                }
            }

            @Override
            public boolean accepts(JsonNode value) {
                return test.test(value);
            }
        };
    }

    static Form oneOf(String... words) {
        Set<String> allowed = Set.of(words);
        return of(String.join(" or ", words), node -> node.isString() && allowed.contains(node.stringValue()));
    }

    static Form list(Form element) {
        return list(element, Integer.MAX_VALUE);
    }

    static Form list(Form element, int most) {
        return new Form() {
            @Override
            public void check(JsonNode value, String where) {
                if (!value.isArray() || value.size() > most) {
                    throw refused(
                            where,
                            most == Integer.MAX_VALUE ? "expected a list" : "expected a list of at most " + most);
                }
                for (int i = 0; i < value.size(); i++) {
                    element.check(value.get(i), where + "[" + i + "]");
                }
            }

            @Override
            public boolean accepts(JsonNode value) {
                return value.isArray();
            }
        };
    }

    /** The first form that accepts the value judges it; the last one judges what none accepts. */
    static Form either(Form first, Form second) {
        return new Form() {
            @Override
            public void check(JsonNode value, String where) {
                (first.accepts(value) ? first : second).check(value, where);
            }

            @Override
            public boolean accepts(JsonNode value) {
                return first.accepts(value) || second.accepts(value);
            }
        };
    }

    /** An object whose form depends on the word in one of its fields. */
    static Form tagged(String tag, Map<String, ObjectForm> forms) {
        Map<String, ObjectForm> withTag = forms.entrySet().stream()
                .collect(Collectors.toMap(
                        Map.Entry::getKey, entry -> entry.getValue().must(tag, TEXT), (a, b) -> a, TreeMap::new));
        return new Form() {
            @Override
            public void check(JsonNode value, String where) {
                OBJECT.check(value, where);
                ObjectForm form = withTag.get(value.path(tag).asString(""));
                if (form == null) {
                    throw refused(where + "." + tag, "expected one of " + String.join(", ", withTag.keySet()));
                }
                form.check(value, where);
            }

            @Override
            public boolean accepts(JsonNode value) {
                return value.isObject();
            }
        };
    }

    static ObjectForm object() {
        return new ObjectForm(Map.of(), Map.of());
    }

    private static DoorProblem refused(String where, String expected) {
        return new DoorProblem(400, "request-refused", where + ": " + expected);
    }

    /** An object with exactly these fields. */
    record ObjectForm(Map<String, Form> required, Map<String, Form> optional) implements Form {

        ObjectForm must(String name, Form form) {
            return new ObjectForm(plus(required, name, form), optional);
        }

        ObjectForm may(String name, Form form) {
            return new ObjectForm(required, plus(optional, name, form));
        }

        @Override
        public void check(JsonNode value, String where) {
            if (!value.isObject()) {
                throw refused(where, "expected an object");
            }
            for (String name : required.keySet()) {
                if (!value.has(name)) {
                    throw refused(where + "." + name, "missing");
                }
            }
            for (Map.Entry<String, JsonNode> field : value.properties()) {
                Form form = required.getOrDefault(field.getKey(), optional.get(field.getKey()));
                if (form == null) {
                    throw refused(where + "." + Names.shown(field.getKey()), "not offered (known: " + names() + ")");
                }
                form.check(field.getValue(), where + "." + field.getKey());
            }
        }

        @Override
        public boolean accepts(JsonNode value) {
            return value.isObject();
        }

        private String names() {
            var names = new java.util.TreeSet<>(required.keySet());
            names.addAll(optional.keySet());
            return String.join(", ", names);
        }

        private static Map<String, Form> plus(Map<String, Form> fields, String name, Form form) {
            Map<String, Form> more = new TreeMap<>(fields);
            more.put(name, form);
            return more;
        }
    }

    static Form nullable(Form form) {
        return either(NULL, form);
    }
}
