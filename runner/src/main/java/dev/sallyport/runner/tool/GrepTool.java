package dev.sallyport.runner.tool;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** Searches file contents in this process: no pattern of the model ever becomes part of a command line. */
final class GrepTool implements Tool {

    /** Bytes of a line that are searched. */
    private static final int LONGEST = 64 * 1024;

    private final Workspace workspace;
    private final OutputLimit limit;
    private final Duration timeout;

    GrepTool(Workspace workspace, OutputLimit limit, Duration timeout) {
        this.workspace = workspace;
        this.limit = limit;
        this.timeout = timeout;
    }

    private record Query(Pattern pattern, String path, Optional<Glob> glob, int context, int most) {}

    @Override
    public String name() {
        return "grep";
    }

    @Override
    public String description() {
        return "Search file contents by a regular expression. Skips .git and binary files, does not follow links.";
    }

    @Override
    public String parameters() {
        return """
                {"type":"object","properties":{
                "pattern":{"type":"string","description":"regular expression, or plain text if literal"},
                "path":{"type":"string","description":"file or directory, the workspace if absent"},
                "glob":{"type":"string","description":"search only files that match, such as *.c or src/**/*.py"},
                "ignoreCase":{"type":"boolean"},
                "literal":{"type":"boolean","description":"take the pattern as plain text"},
                "context":{"type":"integer","description":"lines to show before and after each match"},
                "limit":{"type":"integer","description":"most matches, 100 if absent"}},
                "required":["pattern"],"additionalProperties":false}""";
    }

    @Override
    public Call prepare(JsonNode json) throws ToolException {
        Arguments arguments = new Arguments(json);
        String pattern = arguments.text("pattern");
        String path = arguments.optionalText("path").orElse(".");
        Optional<String> glob = arguments.optionalText("glob");
        int flags = (arguments.flag("ignoreCase") ? Pattern.CASE_INSENSITIVE | Pattern.UNICODE_CASE : 0)
                | (arguments.flag("literal") ? Pattern.LITERAL : 0);
        int context = arguments.number("context", 0, 0, 50);
        int most = arguments.count("limit", 100, 10_000);
        arguments.nothingElse();
        Query query = new Query(
                compile(pattern, flags),
                path,
                glob.isPresent() ? Optional.of(Glob.of(glob.get())) : Optional.empty(),
                context,
                most);
        return () -> grep(query);
    }

    private static Pattern compile(String pattern, int flags) throws ToolException {
        try {
            return Pattern.compile(pattern, flags);
        } catch (PatternSyntaxException e) {
            throw new ToolException("pattern: %s (expected: a regular expression; for plain text set literal)"
                    .formatted(e.getDescription()));
        }
    }

    private ToolResult grep(Query query) throws ToolException, IOException {
        Search search = new Search(query, new Head(limit), Deadline.in(timeout));
        Path root = workspace.existing(query.path());
        if (!Files.isDirectory(root)) {
            Path file = workspace.file(query.path());
            search.file(file, file.getFileName());
            return search.result("");
        }
        FileWalk walk = new FileWalk(root, search.deadline);
        for (Optional<Path> next = walk.next(); next.isPresent() && !search.full; next = walk.next()) {
            Path relative = walk.relative(next.get());
            if (Files.isRegularFile(next.get(), LinkOption.NOFOLLOW_LINKS)
                    && (query.glob().isEmpty() || query.glob().get().matches(relative, search.deadline))) {
                search.file(next.get(), relative);
            }
        }
        return search.result(walk.notes());
    }

    private static final class Search {

        private final Query query;
        private final Head head;
        private final Deadline deadline;
        private int matches;
        private int unreadable;
        private boolean full;

        Search(Query query, Head head, Deadline deadline) {
            this.query = query;
            this.head = head;
            this.deadline = deadline;
        }

        void file(Path file, Path shown) throws ToolException {
            try (LineReader reader = new LineReader(file, LONGEST)) {
                if (!reader.binary()) {
                    lines(reader, shown);
                }
            } catch (IOException e) {
                unreadable++;
            }
        }

        private void lines(LineReader reader, Path shown) throws IOException, ToolException {
            Deque<String> before = new ArrayDeque<>();
            int after = 0;
            int number = 0;
            for (@Nullable String line = reader.next(); line != null && !full; line = reader.next()) {
                number++;
                deadline.check();
                if (matches(line)) {
                    if (matches == query.most()) {
                        full = true;
                        return;
                    }
                    matches++;
                    for (int i = before.size(); i > 0; i--) {
                        show("%s-%d- %s", shown, number - i, before.remove());
                    }
                    show("%s:%d: %s", shown, number, line);
                    after = query.context();
                } else if (after > 0) {
                    show("%s-%d- %s", shown, number, line);
                    after--;
                } else if (query.context() > 0) {
                    if (before.size() == query.context()) {
                        before.remove();
                    }
                    before.add(OutputLimit.brief(line));
                }
            }
        }

        private boolean matches(String line) throws ToolException {
            return Watched.test(
                    line, deadline, watched -> query.pattern().matcher(watched).find());
        }

        private void show(String form, Path file, int number, String line) {
            if (!full && !head.add(form.formatted(file, number, OutputLimit.brief(line)))) {
                full = true;
            }
        }

        ToolResult result(String notes) {
            StringBuilder text = new StringBuilder(matches == 0 ? "[no match]\n" : head.toString());
            if (full) {
                text.append("[stopped: more than %d matches or too much output]\n".formatted(query.most()));
            }
            if (unreadable > 0) {
                text.append("[%d files could not be read]\n".formatted(unreadable));
            }
            return ToolResult.ok(text + notes);
        }
    }
}
