package dev.sallyport.standalone;

import com.github.dockerjava.api.DockerClient;
import com.github.dockerjava.api.command.InspectContainerResponse;
import com.github.dockerjava.api.model.Container;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.testcontainers.DockerClientFactory;
import tools.jackson.databind.json.JsonMapper;

/** The engine as an operator sees it, for tests that look behind Sallyport's back. */
final class Engine {

    private static final DockerClient DOCKER = DockerClientFactory.lazyClient();

    private Engine() {}

    /** The id of the image that the launcher built before the tests, or of another with {@code -Dsallyport.runner=}. */
    static String runnerImage() {
        String image = System.getProperty("sallyport.runner", "sallyport/runner:dev");
        return DOCKER.inspectImageCmd(image).exec().getId();
    }

    private static List<Container> containers(String child) {
        return DOCKER.listContainersCmd()
                .withShowAll(true)
                .withLabelFilter(Map.of("dev.sallyport.child", child))
                .exec();
    }

    static List<String> inspectAll(String child) {
        JsonMapper json = new JsonMapper();
        return containers(child).stream()
                .map(container -> json.writeValueAsString(
                        DOCKER.inspectContainerCmd(container.getId()).exec().getRawValues()))
                .toList();
    }

    static String idOf(String child) {
        return containers(child).getFirst().getId();
    }

    static List<Long> processes(String container) {
        return Arrays.stream(DOCKER.topContainerCmd(container).exec().getProcesses())
                .map(row -> Long.parseLong(row[1]))
                .toList();
    }

    /** The host directory that is mounted at /run/sallyport. */
    static String doorOf(String container) {
        InspectContainerResponse inspected =
                DOCKER.inspectContainerCmd(container).exec();
        return inspected.getMounts().stream()
                .filter(mount -> "/run/sallyport"
                        .equals(String.valueOf(mount.getDestination().getPath())))
                .map(InspectContainerResponse.Mount::getSource)
                .findFirst()
                .orElseThrow();
    }
}
