package dev.sallyport.ask;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.sallyport.identity.CallId;
import dev.sallyport.identity.ChildId;
import dev.sallyport.identity.SessionId;
import dev.sallyport.identity.Tenant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** S26. */
class AskDigestTest {

    private static final String ARGUMENTS = "{\"command\":\"make test\",\"timeout\":10}";

    @Test
    void changesWithEveryPartOfTheAction() {
        List<AskDigest.Action> actions = new ArrayList<>();
        actions.add(base().build());
        actions.add(base().tenant("other").build());
        actions.add(base().session("aaaaaaaaaaaaaaab").build());
        actions.add(base().child("aaaaaaaaaaaaaaab").build());
        actions.add(base().incarnation("2").build());
        actions.add(base().call("c2").build());
        actions.add(base().generation(1).build());
        actions.add(base().surface("write").build());
        actions.add(base().values("make test", "make").build());
        actions.add(base().values("make", "test").build());
        actions.add(base().values().build());
        actions.add(base().tool("exec").build());
        actions.add(base().tool(null).build());
        actions.add(base().tool("").build());
        actions.add(base().toolDefinition("e").build());
        actions.add(base().toolDefinition(null).build());
        actions.add(
                base().arguments("{\"command\":\"make test\",\"timeout\":11}").build());
        actions.add(
                base().arguments("{\"command\":\"make test \",\"timeout\":10}").build());
        actions.add(base().arguments(null).build());
        actions.add(base().directory("/workspace/x").build());
        actions.add(base().directory(null).build());
        actions.add(base().target("example.com:443").build());
        actions.add(base().authority("b").build());

        assertThat(new HashSet<>(actions.stream().map(AskDigest::of).toList())).hasSameSizeAs(actions);
    }

    @Test
    void doesNotLetOnePartRunIntoTheNext() {
        AskDigest one = AskDigest.of(base().values("ab", "c").build());
        AskDigest other = AskDigest.of(base().values("a", "bc").build());

        assertThat(one).isNotEqualTo(other);
        assertThat(AskDigest.of(base().tool("ab").toolDefinition("c").build()))
                .isNotEqualTo(AskDigest.of(base().tool("a").toolDefinition("bc").build()));
    }

    @Test
    void isTheSameForTheSameArgumentsWrittenDifferently() {
        String written = " {\"timeout\": 1e1, \"command\": \"make\\u0020test\"}";

        assertThat(AskDigest.of(base().arguments(written).build())).isEqualTo(AskDigest.of(base().build()));
    }

    // A change of the encoding voids every pending approval: it needs a new version in the domain.
    @Test
    void staysAsItIsInVersion1() {
        assertThat(AskDigest.of(base().build()).value())
                .isEqualTo("3eacc0b2919b1a67094a831ee4b571e6ae88b7c60ce41c3322cd0390651c219b");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"path\":\"a\",\"path\":\"/etc/passwd\"}",
                "{\"path\":\"\\ud800\"}",
                "{\"n\":9007199254740993}",
                "{\"n\":1e400}",
                "{} {}",
                "not json"
            })
    void refusesArgumentsThatTwoReadersCouldReadDifferently(String arguments) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> base().arguments(arguments).build());
    }

    @Test
    void refusesLoneSurrogatesInValues() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> AskDigest.of(base().values("a\ud800").build()));
    }

    private static Builder base() {
        return new Builder();
    }

    private static final class Builder {

        private String tenant = "default";
        private String session = "aaaaaaaaaaaaaaaa";
        private String child = "aaaaaaaaaaaaaaaa";
        private String incarnation = "1";
        private String call = "c1";
        private long generation;
        private String surface = "bash";
        private List<String> values = List.of("make test");
        private @Nullable String tool = "bash";
        private @Nullable String toolDefinition = "d";
        private @Nullable String arguments = ARGUMENTS;
        private @Nullable String directory = "/workspace";
        private @Nullable String target;
        private String authority = "a";

        Builder tenant(String value) {
            tenant = value;
            return this;
        }

        Builder session(String value) {
            session = value;
            return this;
        }

        Builder child(String value) {
            child = value;
            return this;
        }

        Builder incarnation(String value) {
            incarnation = value;
            return this;
        }

        Builder call(String value) {
            call = value;
            return this;
        }

        Builder generation(long value) {
            generation = value;
            return this;
        }

        Builder surface(String value) {
            surface = value;
            return this;
        }

        Builder values(String... value) {
            values = List.of(value);
            return this;
        }

        Builder tool(@Nullable String value) {
            tool = value;
            return this;
        }

        Builder toolDefinition(@Nullable String value) {
            toolDefinition = value;
            return this;
        }

        Builder arguments(@Nullable String value) {
            arguments = value;
            return this;
        }

        Builder directory(@Nullable String value) {
            directory = value;
            return this;
        }

        Builder target(@Nullable String value) {
            target = value;
            return this;
        }

        Builder authority(String value) {
            authority = value;
            return this;
        }

        AskDigest.Action build() {
            return new AskDigest.Action(
                    new Tenant(tenant),
                    new SessionId(session),
                    new ChildId(child),
                    incarnation,
                    new CallId(call),
                    generation,
                    surface,
                    values,
                    tool,
                    toolDefinition,
                    arguments,
                    directory,
                    target,
                    authority);
        }
    }
}
