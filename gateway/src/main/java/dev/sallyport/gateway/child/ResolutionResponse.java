package dev.sallyport.gateway.child;

import dev.sallyport.agentfile.LoadWarning;
import dev.sallyport.authority.Explanation;
import dev.sallyport.authority.Field;
import dev.sallyport.authority.Outcome;
import dev.sallyport.provenance.Layer;
import dev.sallyport.provenance.Origin;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * What a child may do and whose word decided each part of it, or why there is no child.
 *
 * @param authority null where refused
 * @param refused null where granted
 */
record ResolutionResponse(
        @Nullable ObjectNode authority,
        List<FieldResponse> fields,
        List<ShadowedResponse> shadowed,
        List<UntrustedResponse> untrusted,
        List<UnknownResponse> unknown,
        List<ExposureResponse> exposures,
        List<String> warnings,
        @Nullable RefusedResponse refused) {

    record FieldResponse(String field, String value, String grade, OriginResponse winner, List<LoserResponse> losers) {

        static FieldResponse of(Field field) {
            return new FieldResponse(
                    field.name(),
                    field.value(),
                    field.grade().wire(),
                    OriginResponse.of(field.winner()),
                    field.losers().stream().map(LoserResponse::of).toList());
        }
    }

    /**
     * @param origin {@code file:line}, or the name of a setting, limit or request field
     * @param file and {@code line}: the same apart, null where it is no file
     */
    record OriginResponse(
            String layer,
            String origin,
            @Nullable String file,
            @Nullable Integer line) {

        static OriginResponse of(Origin origin) {
            return new OriginResponse(origin.layer().wire(), origin.location(), origin.file(), origin.line());
        }
    }

    record LoserResponse(
            String layer,
            String origin,
            @Nullable String file,
            @Nullable Integer line,
            String value,
            String reason) {

        static LoserResponse of(Field.Loser loser) {
            Origin origin = loser.origin();
            return new LoserResponse(
                    origin.layer().wire(),
                    origin.location(),
                    origin.file(),
                    origin.line(),
                    loser.value(),
                    loser.reason());
        }
    }

    record ShadowedResponse(String name, String origin, String by) {}

    /** @param remedy the command that a person runs to look at it and trust it */
    record UntrustedResponse(String name, String origin, String remedy) {}

    /** @param nearest the known field that was probably meant */
    record UnknownResponse(
            String origin,
            @Nullable String file,
            @Nullable Integer line,
            String field,
            @Nullable String nearest) {

        static UnknownResponse of(LoadWarning.UnknownField unknown) {
            Origin origin = new Origin(Layer.AGENT_FILE, unknown.location());
            return new UnknownResponse(
                    unknown.location(), origin.file(), origin.line(), unknown.field(), unknown.nearest());
        }
    }

    record ExposureResponse(String field, String what) {}

    record RefusedResponse(String code, List<String> reasons) {}

    static ResolutionResponse of(Outcome outcome, JsonMapper json) {
        Explanation explanation = outcome.explanation();
        return switch (outcome) {
            case Outcome.Granted granted -> {
                ObjectNode authority =
                        (ObjectNode) json.readTree(granted.authority().toJson());
                // Shown beside it, in the order in which they are explained.
                authority.remove("fields");
                authority.put("digest", granted.authority().digest());
                yield of(authority, explanation, null);
            }
            case Outcome.Refused refused ->
                of(null, explanation, new RefusedResponse(refused.code(), refused.reasons()));
        };
    }

    private static ResolutionResponse of(
            @Nullable ObjectNode authority, Explanation explanation, @Nullable RefusedResponse refused) {
        return new ResolutionResponse(
                authority,
                explanation.fields().stream().map(FieldResponse::of).toList(),
                explanation.shadowed().stream()
                        .map(hidden -> new ShadowedResponse(hidden.name(), hidden.path(), hidden.by()))
                        .toList(),
                explanation.untrusted().stream()
                        .map(theirs -> new UntrustedResponse(theirs.name(), theirs.path(), theirs.remedy()))
                        .toList(),
                explanation.unknown().stream().map(UnknownResponse::of).toList(),
                explanation.exposures().stream()
                        .map(exposure -> new ExposureResponse(exposure.field(), exposure.what()))
                        .toList(),
                explanation.warnings(),
                refused);
    }
}
