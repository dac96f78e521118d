package dev.sallyport.standalone;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/** Starts both services in one process and says in the data directory where they are. */
public final class StandaloneApplication {

    private StandaloneApplication() {}

    public static void main(String[] arguments) throws Exception {
        Options options;
        try {
            options = Options.parse(arguments);
        } catch (IllegalArgumentException e) {
            System.err.println(e.getMessage());
            System.exit(125);
            return;
        }
        try {
            Standalone standalone = Standalone.start(options, System.in);
            Runtime.getRuntime().addShutdownHook(new Thread(standalone::close, "stop"));
        } catch (Home.InUseException e) {
            System.err.println(e.getMessage());
            System.exit(125);
        }
    }

    /**
     * What one installation may be told at start; everything else is the services' own configuration.
     *
     * @param home the data directory
     * @param gatewayPort 0 for any free one; the same for the others
     * @param properties {@code --name=value} for both services
     */
    record Options(
            Path home, int gatewayPort, int permissionsPort, int managementPort, Map<String, String> properties) {

        Options {
            properties = Map.copyOf(properties);
        }

        static Options parse(String[] arguments) {
            Path home = null;
            int gatewayPort = 7070;
            int permissionsPort = 7072;
            int managementPort = 7071;
            var properties = new HashMap<String, String>();
            for (String argument : arguments) {
                String[] parts = argument.split("=", 2);
                if (parts.length < 2 || !parts[0].startsWith("--")) {
                    throw new IllegalArgumentException("argument: `%s` (expected: --name=value)".formatted(argument));
                }
                switch (parts[0]) {
                    case "--home" -> home = Path.of(parts[1]).toAbsolutePath().normalize();
                    case "--gateway-port" -> gatewayPort = Integer.parseInt(parts[1]);
                    case "--permissions-port" -> permissionsPort = Integer.parseInt(parts[1]);
                    case "--management-port" -> managementPort = Integer.parseInt(parts[1]);
                    default -> properties.put(parts[0].substring(2), parts[1]);
                }
            }
            if (home == null) {
                throw new IllegalArgumentException("--home is missing (expected: --home=DIRECTORY)");
            }
            return new Options(home, gatewayPort, permissionsPort, managementPort, properties);
        }
    }
}
