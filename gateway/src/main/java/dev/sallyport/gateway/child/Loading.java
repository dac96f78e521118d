package dev.sallyport.gateway.child;

import dev.sallyport.agentfile.AgentDefinition;
import dev.sallyport.agentfile.EmbeddedAgents;
import dev.sallyport.agentfile.Inclusion;
import dev.sallyport.authority.Authority;
import dev.sallyport.authority.AuthorityRequest;
import dev.sallyport.authority.ExtensionRights;
import dev.sallyport.containment.Harness;
import dev.sallyport.gateway.error.GatewayException.AuthorityRefused;
import dev.sallyport.toolscope.Extension;
import dev.sallyport.toolscope.ExtensionFiles;
import dev.sallyport.toolscope.ScopeWarning;
import dev.sallyport.toolscope.ToolRules;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Which of the extensions that are there a child is given. */
final class Loading {

    private Loading() {}

    /** The definition that the authority comes from. */
    static AgentDefinition definition(AuthorityRequest asked, Authority authority) {
        return asked.call().agent() == null
                ? EmbeddedAgents.AD_HOC
                : asked.registry().definition(authority.agent());
    }

    /**
     * Those that the authority lets it load, pinned as they are now.
     *
     * @throws AuthorityRefused if one of them cannot be copied
     */
    static List<Terms.Given> given(AuthorityRequest asked, Authority authority, ExtensionFiles there) {
        if (authority.harness() != Harness.BUILTIN) {
            return List.of();
        }
        ToolRules rules = ToolRules.granted(
                authority.tools(),
                authority.deniedTools(),
                authority.extensions().rights(),
                Set.of());
        Inclusion named = definition(asked, authority).extensions();
        List<Terms.Given> given = new ArrayList<>();
        for (ExtensionFiles.Found found : there.found()) {
            if (rules.loads(found.extension())) {
                given.add(new Terms.Given(
                        found.name(),
                        found.directory().toString(),
                        digest(found),
                        found.command(),
                        named instanceof Inclusion.Only(List<String> entries)
                                && entries.stream().anyMatch(found.name()::equalsIgnoreCase)));
            }
        }
        return given;
    }

    /** A project's is pinned to the files that a person trusts. */
    private static String digest(ExtensionFiles.Found found) {
        try {
            return found.pinned() != null ? found.pinned() : ExtensionFiles.digest(found.directory(), null);
        } catch (IOException e) {
            throw new AuthorityRefused(
                    "extension-unusable", List.of("extension `%s`: %s".formatted(found.name(), e.getMessage())));
        }
    }

    /** What the agent file says of extensions and has no effect, and what is there and of no use. */
    static List<String> warnings(AuthorityRequest asked, Authority authority, ExtensionFiles there) {
        if (authority.harness() != Harness.BUILTIN || authority.isolated()) {
            return List.of();
        }
        ExtensionRights wished = ExtensionRights.of(definition(asked, authority));
        List<String> warnings = new ArrayList<>();
        if (!wished.loadsNothing()) {
            warnings.addAll(there.problems());
        }
        wished.paths()
                .forEach(path ->
                        warnings.add("extensions: `%s` is a path; only what lies in a directory of extensions is loaded"
                                .formatted(path)));
        List<Extension> found =
                there.found().stream().map(ExtensionFiles.Found::extension).toList();
        ScopeWarning.of(ToolRules.granted(List.of(), List.of(), wished.rights(), Set.of()), found)
                .forEach(warning -> warnings.add(warning.message()));
        return warnings;
    }
}
