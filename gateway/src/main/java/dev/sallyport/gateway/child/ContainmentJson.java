package dev.sallyport.gateway.child;

import dev.sallyport.gateway.sandbox.Enforcement;
import java.util.List;
import java.util.Locale;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;

/** What was found to hold for a child, as people and clients read it. */
final class ContainmentJson {

    private ContainmentJson() {}

    static String of(List<Enforcement> enforcements, JsonMapper json) {
        ArrayNode array = json.createArrayNode();
        for (Enforcement enforcement : enforcements) {
            array.addObject()
                    .put("name", enforcement.name())
                    .put("state", enforcement.state().name().toLowerCase(Locale.ROOT))
                    .put("detail", enforcement.detail());
        }
        return json.writeValueAsString(array);
    }
}
