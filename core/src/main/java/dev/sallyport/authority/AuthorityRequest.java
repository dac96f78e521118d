package dev.sallyport.authority;

import dev.sallyport.agentfile.AgentRegistry;
import dev.sallyport.invocation.Settings;
import dev.sallyport.invocation.SpawnCall;
import dev.sallyport.model.ModelRouting;
import dev.sallyport.model.Models;
import dev.sallyport.prompt.ParentConversation;
import dev.sallyport.skill.Skills;
import org.jspecify.annotations.Nullable;

/** Everything that an authority is worked out from. */
public record AuthorityRequest(
        AgentRegistry registry,
        SpawnCall call,
        Settings settings,
        OperatorPolicy operator,
        @Nullable Authority parent,
        Models models,
        ParentConversation conversation,
        Skills skills) {

    /** A request where neither scope nor selector has a say in the model, without a conversation and without skills. */
    public AuthorityRequest(
            AgentRegistry registry,
            SpawnCall call,
            Settings settings,
            OperatorPolicy operator,
            @Nullable Authority parent) {
        this(registry, call, settings, operator, parent, Models.ANY);
    }

    /** The same with a say in the model. */
    public AuthorityRequest(
            AgentRegistry registry,
            SpawnCall call,
            Settings settings,
            OperatorPolicy operator,
            @Nullable Authority parent,
            Models models) {
        this(registry, call, settings, operator, parent, models, ParentConversation.NONE, Skills.NONE);
    }

    /** The same request, of which one thing more is known. */
    public AuthorityRequest routed(ModelRouting routing) {
        return new AuthorityRequest(
                registry, call, settings, operator, parent, models.routing(routing), conversation, skills);
    }
}
