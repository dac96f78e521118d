package dev.sallyport.gateway.child;

import dev.sallyport.toolscope.ExtensionFiles;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Copies of the extensions that each child may load, and of no others (P8): what is mounted is what was pinned. */
final class Provisions {

    private final Path directory;

    /** @param directory of our own; the engine must see it under the same path */
    Provisions(Path directory) {
        this.directory = directory.resolve("extensions");
    }

    /**
     * Copies them anew.
     *
     * @return what is to be mounted, empty if the child has no extensions
     * @throws IOException also if one is not what it was when the child was accepted
     */
    Optional<Path> make(Child child) throws IOException {
        discard(child);
        if (child.terms().extensions().given().isEmpty()) {
            return Optional.empty();
        }
        Path all = Files.createDirectories(of(child));
        for (Terms.Given given : child.terms().extensions().given()) {
            String digest = ExtensionFiles.digest(Path.of(given.directory()), all.resolve(given.name()));
            if (!digest.equals(given.digest())) {
                throw new IOException(
                        "extension `%s` is not what it was when the child was accepted".formatted(given.name()));
            }
        }
        return Optional.of(all);
    }

    void discard(Child child) throws IOException {
        try {
            Files.walkFileTree(of(child), new SimpleFileVisitor<>() {
                @Override
                public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                    Files.delete(file);
                    return FileVisitResult.CONTINUE;
                }

                @Override
                public FileVisitResult postVisitDirectory(Path left, @Nullable IOException failure) throws IOException {
                    Files.delete(left);
                    return FileVisitResult.CONTINUE;
                }
            });
        } catch (NoSuchFileException e) {
            // It had none.
        }
    }

    private Path of(Child child) {
        return directory.resolve(child.id().value());
    }
}
