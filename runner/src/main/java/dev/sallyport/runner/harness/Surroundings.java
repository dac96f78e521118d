package dev.sallyport.runner.harness;

import java.util.Map;
import java.util.TreeMap;

/** The environment of every program in the child: how it finds the door. No value in it is worth stealing. */
public final class Surroundings {

    private Surroundings() {}

    /**
     * To be added to what the container sets.
     *
     * @param port of the pump on the loopback address
     */
    public static Map<String, String> of(int port) {
        String door = "http://127.0.0.1:" + port;
        String local = "127.0.0.1,localhost,::1";
        Map<String, String> environment = new TreeMap<>();
        for (String name : new String[] {"http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY"}) {
            environment.put(name, door);
        }
        environment.put("no_proxy", local);
        environment.put("NO_PROXY", local);
        environment.put("ANTHROPIC_BASE_URL", door + "/model/anthropic");
        environment.put("OPENAI_BASE_URL", door + "/model/openai/v1");
        // Clients refuse to start without a key; the real one is added at the door.
        environment.put("ANTHROPIC_API_KEY", "added-at-the-door");
        environment.put("OPENAI_API_KEY", "added-at-the-door");
        return environment;
    }
}
