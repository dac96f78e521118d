package dev.sallyport.gateway.door;

import dev.sallyport.identity.ChildId;
import dev.sallyport.identity.InstallationId;
import dev.sallyport.identity.Tenant;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** A door with children in memory. */
final class TestDoor implements AutoCloseable {

    private static final SecureRandom RANDOM = new SecureRandom();
    static final String KEY = "sk-secret-0123456789abcdef";

    final InstallationId installation;
    final Map<ChildId, FakeOccupant> live = new ConcurrentHashMap<>();
    final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    final Map<String, String> keys = new ConcurrentHashMap<>(Map.of("test", KEY));
    final Map<String, List<InetAddress>> names = new ConcurrentHashMap<>();
    final List<String> resolved = new ArrayList<>();
    final JettyDoor door;

    /** Keeps what a test wants to be different from the defaults. */
    static final class Builder {

        DoorSettings settings;
        InstallationId installation = InstallationId.random(RANDOM);
        List<Provider> providers = List.of();
        Path scripts;
        AddressCheck addresses = InetAddress::isLoopbackAddress;

        Builder(Path base) {
            this.settings = DoorSettings.of(base);
        }

        Builder memory(long bytes) {
            settings = new DoorSettings(
                    settings.base(),
                    settings.requestsPerChild(),
                    settings.connectionsPerChild(),
                    settings.bodyLimit(),
                    settings.modelBodyLimit(),
                    bytes,
                    settings.workspaceLimit(),
                    settings.authorizeWait(),
                    settings.connectWait(),
                    settings.connectTimeout(),
                    settings.tunnelIdle());
            return this;
        }

        Builder limits(int requests, int connections, int body, long workspace) {
            settings = new DoorSettings(
                    settings.base(),
                    requests,
                    connections,
                    body,
                    1 << 20,
                    settings.bodyMemory(),
                    workspace,
                    Duration.ofSeconds(25),
                    Duration.ofSeconds(20),
                    Duration.ofSeconds(2),
                    Duration.ofMinutes(1));
            return this;
        }

        TestDoor start() throws IOException {
            return new TestDoor(this);
        }
    }

    static Builder in(Path base) {
        return new Builder(base);
    }

    private TestDoor(Builder wanted) throws IOException {
        this.installation = wanted.installation;
        this.door = JettyDoor.start(
                wanted.settings,
                installation,
                (child, incarnation) -> Optional.<Occupant>ofNullable(live.get(child))
                        .filter(occupant -> occupant.incarnation() == incarnation),
                (tenant, name) ->
                        tenant.equals(Tenant.DEFAULT) ? Optional.ofNullable(keys.get(name)) : Optional.empty(),
                wanted.providers,
                wanted.scripts,
                registry,
                host -> {
                    resolved.add(host);
                    return names.getOrDefault(host, List.of());
                },
                wanted.addresses);
    }

    FakeOccupant child() {
        FakeOccupant occupant = new FakeOccupant(ChildId.random(RANDOM));
        live.put(occupant.child, occupant);
        return occupant;
    }

    Path open(FakeOccupant occupant) {
        return door.open(occupant.child, 1);
    }

    double count(String name, String... tags) {
        var counter = registry.find(name).tags(tags).counter();
        return counter == null ? 0 : counter.count();
    }

    @Override
    public void close() {
        door.close();
    }
}
