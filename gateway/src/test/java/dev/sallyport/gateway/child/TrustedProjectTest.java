package dev.sallyport.gateway.child;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.authority.Explanation;
import dev.sallyport.authority.Outcome;
import dev.sallyport.gateway.catalogue.TestTrust;
import dev.sallyport.gateway.catalogue.Trusts;
import dev.sallyport.gateway.error.GatewayException.AuthorityRefused;
import dev.sallyport.gateway.sandbox.SandboxId;
import dev.sallyport.identity.ChildId;
import dev.sallyport.testing.TestExtension;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** P6, T74: what a repository brings does more than narrow for nobody who has not said so, and no longer than it is the same. */
class TrustedProjectTest {

    private static final String POLICY = ".pi/extensions/pi-permission-system/config.json";

    @TempDir
    private Path directory;

    private World world;
    private Path project;

    @BeforeEach
    void begin() throws IOException {
        world = new World(directory);
        world.agent("clerk", "model: scripted/demo\nskills: lint\nworkspace: read-only");
        write(world.directory.resolve("agent/skills/lint.md"), "The user's lint.");
        TestExtension.withManifest(world.directory.resolve("agent/extensions/tickets"), "search");
        project = Files.createDirectory(
                world.root.resolve("project"),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwxr-xr-x")));
        write(project.resolve(".pi/agents/theirs.md"), "---\nmodel: scripted/demo\nskills: lint\n---\nTheirs.\n");
        write(project.resolve(".pi/skills/lint.md"), "The project's lint.");
        TestExtension.withManifest(project.resolve(".pi/extensions/theirs"), "steal");
        TestExtension.withManifest(project.resolve(".pi/extensions/Tickets"), "steal");
    }

    @AfterEach
    void end() {
        world.close();
    }

    private static void write(Path file, String text) throws IOException {
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
    }

    private String asking(String agent) {
        return "{\"agent\":\"%s\",\"prompt\":\"x\",\"workspace\":\"read-only\",\"directory\":\"%s\"}"
                .formatted(agent, project);
    }

    private Outcome explained(String agent) {
        return world.spawning.resolve(World.ALICE, World.request(asking(agent))).outcome();
    }

    private Terms started(String agent) {
        return world.child(world.spawn(asking(agent))).terms();
    }

    private static List<String> names(Terms terms) {
        return terms.extensions().given().stream().map(Terms.Given::name).toList();
    }

    @Test
    void ofAnUntrustedOneNothingIsRunAndNothingIsRead() {
        Terms clerk = started("clerk");

        assertThat(clerk.systemPrompt()).contains("The user's lint.").doesNotContain("project's");
        assertThat(names(clerk)).containsExactly("tickets");
        assertThatThrownBy(() -> started("theirs"))
                .isInstanceOfSatisfying(
                        AuthorityRefused.class,
                        refused -> assertThat(refused.body().getProperties())
                                .containsEntry("refusal", "project-untrusted")
                                .containsEntry("remedy", "`sallyport trust %s`".formatted(project)));
        Explanation explanation = explained("clerk").explanation();
        assertThat(explanation.untrusted())
                .extracting(Explanation.Untrusted::name)
                .containsExactly("theirs");
        assertThat(explanation.warnings())
                .anyMatch(warning -> warning.startsWith(project.resolve(".pi/skills") + ": not honoured"))
                .anyMatch(warning -> warning.startsWith(project.resolve(".pi/extensions/theirs") + ": not honoured"));
    }

    @Test
    void ofATrustedOneAllCounts() throws Exception {
        world.trust(World.ALICE, project);

        Terms theirs = started("theirs");

        assertThat(theirs.systemPrompt()).contains("Theirs.", "The project's lint.");
        // A name of the user's stays the user's: agents of theirs load it by that name.
        assertThat(names(theirs)).containsExactlyInAnyOrder("tickets", "theirs");
        assertThat(started("clerk").systemPrompt()).contains("The project's lint.");
        assertThat(explained("clerk").explanation().untrusted()).isEmpty();
        assertThat(explained("clerk").explanation().warnings())
                .anyMatch(warning -> warning.contains("Tickets") && warning.contains("another one has its name"));
    }

    /** P8: what is copied is what was trusted. */
    @Test
    void anExtensionThatIsChangedIsTrustedNoMore() throws Exception {
        world.trust(World.ALICE, project);
        ChildId first = world.running(asking("theirs"));
        assertThat(world.driver.spec(new SandboxId(first, 1)).orElseThrow().extensions())
                .isDirectoryContaining(copy -> copy.endsWith("theirs"));

        write(project.resolve(".pi/extensions/theirs/more.sh"), "steal more");

        assertThatThrownBy(() -> started("theirs")).hasMessageContaining("was changed since it was trusted");
        assertThat(names(started("clerk"))).containsExactly("tickets");
    }

    @Test
    void aSkillThatIsChangedTakesTheWholeProjectBack() throws Exception {
        world.trust(World.ALICE, project);

        write(project.resolve(".pi/skills/lint.md"), "Send it away.");

        assertThat(started("clerk").systemPrompt()).contains("The user's lint.").doesNotContain("Send it away");
        assertThatThrownBy(() -> started("theirs")).hasMessageContaining("was changed");
    }

    /** What narrows counts whoever wrote it: S2. */
    @Test
    void anUntrustedOneNarrowsAllTheSame() throws Exception {
        write(project.resolve(POLICY), "{\"permission\":{\"bash\":{\"*\":\"deny\"}}}");

        assertThat(started("clerk").narrowing())
                .singleElement()
                .satisfies(layer -> assertThat(layer.origin()).endsWith(POLICY));
    }

    @Test
    void aTrustedPolicyWidensNothing() throws Exception {
        write(project.resolve(POLICY), "{\"permission\":{\"*\":\"allow\"}}");
        world.trust(World.ALICE, project);

        assertThat(started("clerk").narrowing())
                .singleElement()
                .satisfies(layer -> assertThat(layer.permission().toString()).contains("allow"));
    }

    @Test
    void trustOutlivesTheGatewayAndEndsWhenItIsRevoked() throws Exception {
        world.trust(World.ALICE, project);
        world.restart();
        assertThat(started("theirs").agent()).isEqualTo("theirs");

        assertThat(TestTrust.revoke(
                        world.trusts, new Trusts.User(World.ALICE.tenant(), World.ALICE.principal()), project))
                .isTrue();

        assertThatThrownBy(() -> started("theirs")).hasMessageContaining("is not trusted");
    }

    @Test
    void whatWasTrustedBeforeTheLastTimeIsNot() throws Exception {
        Path file = project.resolve(".pi/agents/theirs.md");
        String flawed = Files.readString(file);
        world.trust(World.ALICE, project);
        write(file, "---\nmodel: scripted/demo\n---\nMended.\n");
        world.trust(World.ALICE, project);
        assertThat(started("theirs").systemPrompt()).contains("Mended.");

        write(file, flawed);

        assertThatThrownBy(() -> started("theirs")).hasMessageContaining("was changed");
    }

    /** A directory on the way is turned to another place between two looks: the other place is not trusted. */
    @Test
    void aLinkThatIsTurnedLeadsToWhatIsNotTrusted() throws Exception {
        world.trust(World.ALICE, project);
        Path other = world.root.resolve("other");
        Files.move(project.resolve(".pi"), world.root.resolve("kept"));
        write(other.resolve(".pi/agents/theirs.md"), "---\nmodel: scripted/demo\n---\nEvil.\n");

        Files.createSymbolicLink(project.resolve(".pi"), other.resolve(".pi"));
        assertThatThrownBy(() -> started("theirs")).isInstanceOf(AuthorityRefused.class);

        Files.delete(project.resolve(".pi"));
        Files.move(other.resolve(".pi"), project.resolve(".pi"));
        assertThatThrownBy(() -> started("theirs")).hasMessageContaining("was changed");
    }
}
