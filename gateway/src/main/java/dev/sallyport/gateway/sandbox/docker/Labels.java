package dev.sallyport.gateway.sandbox.docker;

import dev.sallyport.gateway.sandbox.SandboxId;
import dev.sallyport.gateway.sandbox.VolumeId;
import dev.sallyport.identity.ChildId;
import dev.sallyport.identity.InstallationId;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/** How one installation finds its own things again, and only those (S28). */
record Labels(InstallationId installation) {

    private static final String INSTALLATION = "dev.sallyport.installation";
    private static final String CHILD = "dev.sallyport.child";
    private static final String INCARNATION = "dev.sallyport.incarnation";
    /** On a container that serves a volume and never runs a child. */
    private static final String HELPER = "dev.sallyport.helper";

    SortedMap<String, String> own() {
        return new TreeMap<>(Map.of(INSTALLATION, installation.value()));
    }

    SortedMap<String, String> of(SandboxId id) {
        SortedMap<String, String> labels = own();
        labels.put(CHILD, id.child().value());
        labels.put(INCARNATION, Integer.toString(id.incarnation()));
        return labels;
    }

    SortedMap<String, String> of(VolumeId volume) {
        SortedMap<String, String> labels = own();
        labels.put(CHILD, volume.child().value());
        return labels;
    }

    SortedMap<String, String> ofHelper(VolumeId volume) {
        SortedMap<String, String> labels = of(volume);
        labels.put(HELPER, "volume");
        return labels;
    }

    /** Empty for what is no child's sandbox, or has labels that we never wrote. */
    static Optional<SandboxId> sandbox(Map<String, String> labels) {
        String child = labels.get(CHILD);
        String incarnation = labels.get(INCARNATION);
        if (child == null || incarnation == null) {
            return Optional.empty();
        }
        try {
            return Optional.of(new SandboxId(new ChildId(child), Integer.parseInt(incarnation)));
        } catch (IllegalArgumentException notOurs) {
            return Optional.empty();
        }
    }

    static Optional<VolumeId> volume(Map<String, String> labels) {
        try {
            return Optional.ofNullable(labels.get(CHILD)).map(ChildId::new).map(VolumeId::new);
        } catch (IllegalArgumentException notOurs) {
            return Optional.empty();
        }
    }

    /** As the engine's filters want them. */
    static List<String> filter(Map<String, String> labels) {
        return labels.entrySet().stream()
                .map(label -> label.getKey() + "=" + label.getValue())
                .toList();
    }

    /** The volume of a name that {@link #name(VolumeId)} made. */
    Optional<VolumeId> volume(String name) {
        String prefix = "sallyport-%s-".formatted(installation);
        return name.startsWith(prefix) ? volume(Map.of(CHILD, name.substring(prefix.length()))) : Optional.empty();
    }

    String name(SandboxId id) {
        return "sallyport-%s-%s".formatted(installation, id);
    }

    String name(VolumeId volume) {
        return "sallyport-%s-%s".formatted(installation, volume);
    }
}
