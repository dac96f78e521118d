package dev.sallyport.skill;

import dev.sallyport.json.JsonObject;
import dev.sallyport.testing.CaseFiles.Case;
import dev.sallyport.testing.Scratch;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Where skills are found. */
public final class SkillCases {

    private SkillCases() {}

    public static Map<String, Function<Case, @Nullable Object>> areas() {
        return Map.of("skills", c -> Scratch.with(scratch -> skills(c.input(), scratch)));
    }

    private static Object skills(JsonObject input, Scratch scratch) throws IOException {
        for (var file : ((Map<?, ?>) input.required("files")).entrySet()) {
            scratch.write((String) file.getKey(), (String) file.getValue());
        }
        for (var link : ((Map<?, ?>) input.required("symlinks")).entrySet()) {
            Path at = scratch.path((String) link.getKey());
            Files.createDirectories(at.getParent());
            Files.createSymbolicLink(at, scratch.path((String) link.getValue()));
        }
        Skills skills =
                SkillFiles.of(scratch.path("${CWD}"), scratch.path("${AGENT_DIR}"), scratch.path("${HOME}"), true);
        return input.texts("names").stream()
                .map(skills::find)
                .map(skill -> {
                    Map<String, Object> json = new LinkedHashMap<>();
                    json.put("name", skill.name());
                    json.put("status", skill.status().wire());
                    json.put("content", skill.status() == Skill.Status.FOUND ? skill.content() : null);
                    return json;
                })
                .toList();
    }
}
