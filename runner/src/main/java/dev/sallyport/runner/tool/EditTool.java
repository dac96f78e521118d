package dev.sallyport.runner.tool;

import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/** Replaces pieces of text, each of which must stand exactly once in the file as it was before the call. */
final class EditTool implements Tool {

    /** Bytes. Text, edits and result are in memory at once. */
    private static final long LARGEST = 4L << 20;

    private final Workspace workspace;

    EditTool(Workspace workspace) {
        this.workspace = workspace;
    }

    private record Edit(String oldText, String newText) {}

    private record Place(int start, int end, String newText) {}

    @Override
    public String name() {
        return "edit";
    }

    @Override
    public String description() {
        return "Replace pieces of text in a file. Each oldText must occur exactly once in the file and must not overlap another.";
    }

    @Override
    public String parameters() {
        return """
                {"type":"object","properties":{
                "path":{"type":"string","description":"file, relative to the workspace or absolute"},
                "edits":{"type":"array","description":"all matched against the file as it is now","items":{"type":"object","properties":{
                "oldText":{"type":"string","description":"exact text, with as much around it as makes it unique"},
                "newText":{"type":"string","description":"what stands there afterwards"}},
                "required":["oldText","newText"],"additionalProperties":false}}},
                "required":["path","edits"],"additionalProperties":false}""";
    }

    @Override
    public Call prepare(JsonNode json) throws ToolException {
        Arguments arguments = new Arguments(json);
        String path = arguments.text("path");
        List<Edit> edits = new ArrayList<>();
        for (Arguments edit : arguments.objects("edits")) {
            edits.add(new Edit(edit.text("oldText"), edit.text("newText")));
            edit.nothingElse();
        }
        // Many models know the older form with one replacement only.
        Optional<String> oldText = arguments.optionalText("oldText");
        Optional<String> newText = arguments.optionalText("newText");
        if (oldText.isPresent() != newText.isPresent()) {
            throw new ToolException("oldText and newText belong together");
        }
        if (oldText.isPresent() && newText.isPresent()) {
            edits.add(new Edit(oldText.get(), newText.get()));
        }
        arguments.nothingElse();
        if (edits.isEmpty()) {
            throw new ToolException("edits is missing (expected: at least one)");
        }
        return () -> edit(path, edits);
    }

    private ToolResult edit(String path, List<Edit> edits) throws ToolException, IOException {
        Path file = workspace.file(path);
        if (Files.size(file) > LARGEST) {
            throw new ToolException("`%s` is larger than %s (use bash)".formatted(path, OutputLimit.size(LARGEST)));
        }
        String before;
        try {
            before = Files.readString(file);
        } catch (CharacterCodingException e) {
            // A replacement character written back would change bytes that nobody asked to change.
            throw new ToolException("`%s` is not UTF-8 text (use bash)".formatted(path));
        }
        String after = apply(path, before, edits);
        if (after.equals(before)) {
            throw new ToolException("the edits change nothing in `%s`".formatted(path));
        }
        Files.writeString(file, after);
        return ToolResult.ok(
                "replaced %s of text in %s".formatted(edits.size() == 1 ? "1 piece" : edits.size() + " pieces", path));
    }

    private static String apply(String path, String before, List<Edit> edits) throws ToolException {
        boolean crlf = before.contains("\r\n");
        List<Place> places = new ArrayList<>();
        for (int i = 0; i < edits.size(); i++) {
            Edit edit = edits.get(i);
            String which = edits.size() == 1 ? "oldText" : "oldText of edit %d".formatted(i + 1);
            if (edit.oldText().isEmpty()) {
                throw new ToolException("%s is empty (use write for a new file)".formatted(which));
            }
            String wanted = edit.oldText();
            String replacement = edit.newText();
            int start = before.indexOf(wanted);
            if (start < 0 && crlf) {
                wanted = withCrlf(wanted);
                replacement = withCrlf(replacement);
                start = before.indexOf(wanted);
            }
            if (start < 0) {
                throw new ToolException(
                        "%s is not in `%s` (expected: exact text, white space included)".formatted(which, path));
            }
            if (before.indexOf(wanted, start + 1) >= 0) {
                throw new ToolException("%s is more than once in `%s` (add text around it)".formatted(which, path));
            }
            places.add(new Place(start, start + wanted.length(), replacement));
        }
        places.sort(Comparator.comparingInt(Place::start));
        StringBuilder after = new StringBuilder();
        int done = 0;
        for (Place place : places) {
            if (place.start() < done) {
                throw new ToolException("edits overlap (join them into one)");
            }
            after.append(before, done, place.start()).append(place.newText());
            done = place.end();
        }
        return after.append(before, done, before.length()).toString();
    }

    private static String withCrlf(String text) {
        return text.replace("\r\n", "\n").replace("\n", "\r\n");
    }
}
