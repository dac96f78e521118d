package dev.sallyport.gateway.sandbox;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;

/** Which file this is, whatever it is called: two paths name the same file exactly if their keys are equal. */
public record FileKey(long device, long inode) {

    /** A link at the end of {@code path} is not followed: its own key is returned. */
    public static FileKey of(Path path) throws IOException {
        Map<String, Object> attributes = Files.readAttributes(path, "unix:dev,ino", LinkOption.NOFOLLOW_LINKS);
        return new FileKey(number(attributes, "dev"), number(attributes, "ino"));
    }

    private static long number(Map<String, Object> attributes, String name) {
        return (Long) Objects.requireNonNull(attributes.get(name));
    }
}
