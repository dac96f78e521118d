package dev.sallyport.authority;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.agentfile.AgentRegistry;
import dev.sallyport.containment.CredentialScope;
import dev.sallyport.containment.Limits;
import dev.sallyport.containment.RuntimeClass;
import dev.sallyport.invocation.Settings;
import dev.sallyport.invocation.SpawnCall;
import dev.sallyport.model.Model;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Requests that differ from an ordinary one in what a test is about. */
record Requests(
        AgentRegistry registry,
        Settings settings,
        OperatorPolicy operator,
        @Nullable Authority parent) {

    static final OperatorPolicy OPERATOR = policy().build();

    static OperatorPolicy.Builder policy() {
        return OperatorPolicy.builder()
                .maxLimits(new Limits(4000, 4L << 30, 1024, Duration.ofHours(2), 10L << 30))
                .credentials(CredentialScope.of(List.of("github", "npm")))
                .runtimes(List.of(RuntimeClass.RUNC, RuntimeClass.GVISOR))
                .defaultModel(Model.parse("scripted/demo"));
    }

    static Requests ordinary() {
        return new Requests(AgentRegistry.of(List.of()), Settings.DEFAULT, OPERATOR, null);
    }

    Requests registry(AgentRegistry other) {
        return new Requests(other, settings, operator, parent);
    }

    Requests settings(Settings other) {
        return new Requests(registry, other, operator, parent);
    }

    Requests operator(OperatorPolicy other) {
        return new Requests(registry, settings, other, parent);
    }

    Requests parent(@Nullable Authority other) {
        return new Requests(registry, settings, operator, other);
    }

    Outcome resolve(SpawnCall call) {
        return AuthorityResolver.resolve(new AuthorityRequest(registry, call, settings, operator, parent));
    }

    Authority granted(SpawnCall call) {
        Outcome outcome = resolve(call);
        assertThat(outcome).isInstanceOf(Outcome.Granted.class);
        return ((Outcome.Granted) outcome).authority();
    }

    Outcome.Refused refused(SpawnCall call) {
        Outcome outcome = resolve(call);
        assertThat(outcome).isInstanceOf(Outcome.Refused.class);
        return (Outcome.Refused) outcome;
    }
}
