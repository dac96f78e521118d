package dev.sallyport.agentfile;

import dev.sallyport.json.Digests;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads the agent files of a user and a project (authority.md 1). What cannot be used is skipped with a warning. */
public final class AgentFiles {

    /** A file of exactly this many bytes is read. */
    public static final int MAX_BYTES = 65_536;

    private static final int MAX_FILES = 1_000;
    private static final String SUFFIX = ".md";
    private static final String PROFILES = "subagents.json";

    private final Leniency leniency;
    private final ReadBefore readBefore;

    /** Reads every file every time. */
    public AgentFiles(Leniency leniency) {
        this(leniency, () -> Instant.EPOCH);
    }

    /** Remembers what it read of files that are unchanged since, and have been for two seconds by this clock. */
    public AgentFiles(Leniency leniency, InstantSource clock) {
        this.leniency = leniency;
        this.readBefore = new ReadBefore(clock);
    }

    /**
     * What authority.md 1.1 and 1.2 let agent files do and nobody should rely on.
     *
     * @param anyName names of any visible characters; otherwise ASCII letters, digits and {@code . _ -}, 63 at most (T67, T68)
     * @param duplicateNames the last of several files of one directory counts; otherwise none of them does (T68)
     * @param followLinks otherwise a link stays within the agents directory, and a project's agents directory within the
     *     project (T71)
     */
    public record Leniency(boolean anyName, boolean duplicateNames, boolean followLinks) {

        public static final Leniency NONE = new Leniency(false, false, false);

        public static final Leniency ALL = new Leniency(true, true, true);
    }

    /**
     * Loads {@code agentDir/agents}, {@code cwd/.agents/agents} and {@code cwd/.pi/agents}, later ones winning, over the
     * embedded definitions.
     *
     * @param cwd the project, null for none
     */
    public AgentRegistry load(Path agentDir, @Nullable Path cwd, boolean withDefaults) {
        Loading loading = new Loading();
        loading.directory(agentDir.resolve("agents"), null, AgentDefinition.Source.GLOBAL);
        if (cwd != null) {
            loading.directory(cwd.resolve(".agents/agents"), cwd, AgentDefinition.Source.PROJECT);
            loading.directory(cwd.resolve(".pi/agents"), cwd, AgentDefinition.Source.PROJECT);
        }
        Profiles profiles = profiles(agentDir);
        return AgentRegistry.of(loading.byKey.values(), withDefaults, loading.losers, loading.warnings)
                .with(profiles, cwd == null ? null : projectProfiles(cwd, profiles), cwd);
    }

    private Profiles profiles(Path agentDir) {
        Path file = agentDir.resolve(PROFILES);
        if (!Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
            return Profiles.BUILT_IN;
        }
        try {
            return Profiles.parse(file.toString(), content(file, agentDir), Profiles.BUILT_IN);
        } catch (AgentFile.UnusableException e) {
            return Profiles.unusable(String.valueOf(e.getMessage()));
        }
    }

    /** Read, and of no effect until the project is trusted (P6). */
    private AgentRegistry.@Nullable ProjectProfiles projectProfiles(Path project, Profiles user) {
        Path file = project.resolve(".pi").resolve(PROFILES);
        if (!Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
            return null;
        }
        try {
            String text = content(file, project);
            return new AgentRegistry.ProjectProfiles(
                    file.toString(), digest(text), Profiles.parse(file.toString(), text, user));
        } catch (AgentFile.UnusableException e) {
            String problem = String.valueOf(e.getMessage());
            return new AgentRegistry.ProjectProfiles(file.toString(), digest(problem), Profiles.unusable(problem));
        }
    }

    private static String digest(String text) {
        return Digests.sha256(text.getBytes(StandardCharsets.UTF_8));
    }

    private final class Loading {

        final Map<String, AgentDefinition> byKey = new LinkedHashMap<>();
        final List<AgentDefinition> losers = new ArrayList<>();
        final List<LoadWarning> warnings = new ArrayList<>();
        private final Map<String, String> declaredHere = new HashMap<>();

        void directory(Path directory, @Nullable Path project, AgentDefinition.Source source) {
            declaredHere.clear();
            if (!Files.isDirectory(directory)) {
                return;
            }
            try {
                if (!leniency.followLinks() && project != null && leaves(directory, project)) {
                    skip(directory, directory + ": a link that leads out of the project (compatibility: follow-links)");
                    return;
                }
                List<ReadBefore.Listed> files = files(directory);
                ReadBefore.Looking seen = readBefore.begin(directory);
                if (seen.isAllOf(files)) {
                    seen.forEach(this::take);
                    return;
                }
                files.sort(AgentFiles::byBytesOfName);
                for (ReadBefore.Listed file : files) {
                    take(file, parsed(file, directory, source, seen));
                }
                readBefore.end(directory, seen);
            } catch (IOException e) {
                skip(directory, directory + ": cannot be listed");
            }
        }

        private List<ReadBefore.Listed> files(Path directory) throws IOException {
            List<ReadBefore.Listed> files = new ArrayList<>();
            try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory)) {
                for (Path entry : entries) {
                    String name = nameOf(entry);
                    if (!name.endsWith(SUFFIX)) {
                        continue;
                    }
                    if (files.size() == MAX_FILES) {
                        skip(directory, "%s: more than %d agent files".formatted(directory, MAX_FILES));
                        files.clear();
                        return files;
                    }
                    files.add(new ReadBefore.Listed(
                            entry,
                            name.substring(0, name.length() - SUFFIX.length()),
                            ReadBefore.stamp(entry).orElse(null)));
                }
            }
            return files;
        }

        private void take(ReadBefore.Listed file, ReadBefore.Parsed parsed) {
            warnings.addAll(parsed.warnings());
            if (parsed.definition() != null) {
                put(parsed.definition(), String.valueOf(parsed.definition().path()));
            }
            if (parsed.problem() != null) {
                skip(file.path(), parsed.problem());
                AgentDefinition survivor = byKey.get(file.name());
                if (survivor != null && survivor.enabled()) {
                    warnings.add(new LoadWarning.Substitution(file.name(), AgentRegistry.pathOf(survivor)));
                }
            }
        }

        private ReadBefore.Parsed parsed(
                ReadBefore.Listed file, Path directory, AgentDefinition.Source source, ReadBefore.Looking seen) {
            Path path = file.path();
            ReadBefore.Parsed before = seen.find(file);
            if (before != null) {
                return before;
            }
            List<LoadWarning> about = new ArrayList<>();
            AgentDefinition definition = null;
            String problem = null;
            try {
                definition = AgentFile.read(
                        path.toString(), file.name(), content(path, directory), source, leniency.anyName(), about);
            } catch (AgentFile.UnusableException e) {
                problem = String.valueOf(e.getMessage());
            }
            ReadBefore.Parsed parsed = new ReadBefore.Parsed(definition, about, problem);
            readBefore.keep(seen, file, parsed);
            return parsed;
        }

        private void put(AgentDefinition definition, String path) {
            String first = declaredHere.putIfAbsent(definition.name(), path);
            if (first != null && !leniency.duplicateNames()) {
                // Which of them a reviewer has read is not known, so that neither runs, nor what they hide.
                warnings.add(new LoadWarning.Conflict(definition.name(), first, path));
                byKey.remove(definition.name());
                return;
            }
            AgentDefinition loser = byKey.put(definition.name(), definition);
            if (loser != null) {
                losers.add(loser);
            }
        }

        private void skip(Path path, String reason) {
            warnings.add(new LoadWarning.Skipped(path.toString(), reason));
        }
    }

    private String content(Path file, Path directory) throws AgentFile.UnusableException {
        try {
            if (!leniency.followLinks() && leaves(file, directory)) {
                throw new AgentFile.UnusableException(
                        file + ": a link that leads out of %s (compatibility: follow-links)".formatted(directory));
            }
            // Opening a FIFO would wait for a writer.
            if (!Files.isRegularFile(file)) {
                throw new AgentFile.UnusableException(file + ": not a file");
            }
            byte[] bytes;
            try (InputStream in = Files.newInputStream(file)) {
                bytes = in.readNBytes(MAX_BYTES + 1);
            }
            if (bytes.length > MAX_BYTES) {
                throw new AgentFile.UnusableException("%s: larger than %d bytes".formatted(file, MAX_BYTES));
            }
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
        } catch (CharacterCodingException e) {
            throw new AgentFile.UnusableException(file + ": not UTF-8");
        } catch (NoSuchFileException e) {
            throw new AgentFile.UnusableException(file + ": not there, or a link to nothing");
        } catch (IOException e) {
            throw new AgentFile.UnusableException(file + ": cannot be read");
        }
    }

    private static boolean leaves(Path path, Path directory) throws IOException {
        return !path.toRealPath().startsWith(directory.toRealPath());
    }

    private static int byBytesOfName(ReadBefore.Listed one, ReadBefore.Listed other) {
        return Arrays.compareUnsigned(
                nameOf(one.path()).getBytes(StandardCharsets.UTF_8),
                nameOf(other.path()).getBytes(StandardCharsets.UTF_8));
    }

    private static String nameOf(Path file) {
        return String.valueOf(file.getFileName());
    }
}
