package dev.sallyport.runner.tool;

import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;

/**
 * What paths in arguments are relative to. Where a tool may reach is the kernel's business (S1): this only makes sure that it
 * reaches for the path that was asked about, which permission.md §1.10 cleans in the same way.
 */
public record Workspace(Path directory, Path home) {

    Path resolve(String path) throws ToolException {
        String cleaned = path.strip();
        if (cleaned.length() > 1 && (cleaned.startsWith("\"") || cleaned.startsWith("'"))) {
            cleaned = cleaned.substring(1);
        }
        if (cleaned.length() > 1 && (cleaned.endsWith("\"") || cleaned.endsWith("'"))) {
            cleaned = cleaned.substring(0, cleaned.length() - 1);
        }
        if (cleaned.startsWith("@")) {
            cleaned = cleaned.substring(1);
        }
        if (cleaned.isEmpty()) {
            throw new ToolException("path is empty");
        }
        try {
            if (cleaned.equals("~") || cleaned.startsWith("~/")) {
                return home.resolve(cleaned.substring(Math.min(2, cleaned.length())))
                        .normalize();
            }
            return directory.resolve(cleaned).normalize();
        } catch (InvalidPathException e) {
            throw new ToolException("path (expected: without NUL)");
        }
    }

    /** A file that exists and can be read to an end: no directory, device, socket or pipe. */
    Path file(String path) throws ToolException {
        Path file = resolve(path);
        if (Files.isRegularFile(file)) {
            return file;
        }
        if (Files.isDirectory(file)) {
            throw new ToolException("`%s` is a directory (use ls)".formatted(path));
        }
        throw new ToolException(
                Files.exists(file)
                        ? "`%s` is not a regular file".formatted(path)
                        : "no such file: `%s`".formatted(path));
    }

    Path existing(String path) throws ToolException {
        Path file = resolve(path);
        if (!Files.exists(file)) {
            throw new ToolException("no such file or directory: `%s`".formatted(path));
        }
        return file;
    }
}
