package dev.sallyport.gateway.sandbox;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

class MountTableTest {

    private static final MountTable TABLE = MountTable.parse(List.of(
            "21 1 254:0 / / rw,relatime - ext4 /dev/vda rw,discard",
            "24 21 0:22 / /srv/with\\040blank rw,nosuid - tmpfs tmpfs rw,size=4k",
            "25 21 0:23 /a /srv/with\\040blank/in ro shared:1 master:2 - tmpfs tmpfs rw",
            "26 21 0:24 / /srv/with\\040blank rw - cgroup cgroup rw,cpu,cpuacct",
            "27 21 0:25 / /srv/within rw - tmpfs tmpfs rw"));

    @Test
    void findsWhatIsMountedBelow() {
        assertThat(TABLE.below(Path.of("/srv/with blank"))).containsExactly(Path.of("/srv/with blank/in"));
    }

    @Test
    void theLastMountAtAPointIsSeen() {
        assertThat(TABLE.at(Path.of("/srv/with blank")).orElseThrow().superOptions())
                .containsExactly("rw", "cpu", "cpuacct");
    }

    @Test
    void readsEachField() {
        assertThat(TABLE.at(Path.of("/srv/with blank/in")))
                .hasValue(new MountTable.Entry(
                        Path.of("/a"), Path.of("/srv/with blank/in"), List.of("ro"), "tmpfs", "tmpfs", List.of("rw")));
    }
}
