package dev.sallyport.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.cli.FakeSallyport.Run;
import dev.sallyport.text.VisibleText;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** P6: a person sees what they trust, and nobody else trusts anything. */
class TrustTest extends WithSallyport {

    private static final String DIGEST = "d".repeat(64);

    private String here;

    @BeforeEach
    void aProject() throws IOException {
        here = sallyport.directory.toRealPath().toString();
        sallyport.openLogin();
        sallyport.on("POST /v1/trust", exchange -> FakeSallyport.send(exchange, 201, "application/json", "{}"));
    }

    private void project(String state, String says) {
        Json file = Json.object(
                "path", ".pi/agents/a.md", "kind", "agent", "digest", DIGEST, "says", says, "change", "new");
        sallyport.get(
                "/v1/trust/project" + Api.query("directory", here),
                Json.object(
                        "directory",
                        here,
                        "state",
                        state,
                        "digest",
                        DIGEST,
                        "files",
                        says.isEmpty() ? List.of() : List.of(file.value()),
                        "removed",
                        List.of(".pi/agents/b.md"),
                        "warnings",
                        List.of()));
    }

    @Test
    void whatIsTrustedIsWhatWasShown() {
        sallyport.terminal = FakeTerminal.confirming();
        project("changed", "agent `a`; tools bash");

        Run run = sallyport.run("trust");

        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(run.out()).isEqualTo("""
                        %s: changed
                        digest %s
                        SINCE  FILE             WHAT IT DOES
                        new    .pi/agents/a.md  agent `a`; tools bash
                        gone since: .pi/agents/b.md
                        """.formatted(here, DIGEST));
        assertThat(sallyport.terminal.prompts).containsExactly("sallyport: trust these files of %s?".formatted(here));
        assertThat(sallyport.only("POST /v1/trust").json()).isEqualTo(Json.object("directory", here, "digest", DIGEST));
        assertThat(sallyport.only("POST /v1/trust").token()).isEqualTo("Bearer " + FakeSallyport.PERSON_TOKEN);
    }

    @Test
    void asJsonItShowsAllOfItBeforeItAsks() {
        sallyport.terminal = FakeTerminal.confirming();
        project("untrusted", "agent `a`");

        Run run = sallyport.run("trust", here, "-o", "json");

        assertThat(run.json().list("files")).hasSize(1);
        assertThat(sallyport.lines()).contains("POST /v1/trust");
    }

    @Test // S23
    void nobodyTrustsWithoutATerminal() {
        project("untrusted", "agent `a`");

        Run run = sallyport.run("trust");

        assertThat(run.exitCode()).isEqualTo(125);
        assertThat(run.err()).contains("needs a person");
        assertThat(sallyport.lines()).doesNotContain("POST /v1/trust");
        assertThat(sallyport.run("trust", "revoke").err()).contains("needs a person");
        assertThat(sallyport.lines()).noneMatch(line -> line.startsWith("DELETE"));
    }

    @Test
    void whatIsTrustedOrEmptyIsNotAskedAbout() {
        sallyport.terminal = FakeTerminal.confirming();
        project("trusted", "agent `a`");
        assertThat(sallyport.run("trust").exitCode()).isZero();

        sallyport.forget("GET /v1/trust/project" + Api.query("directory", here));
        project("untrusted", "");
        assertThat(sallyport.run("trust").err()).contains("nothing there needs trust");

        assertThat(sallyport.terminal.prompts).isEmpty();
        assertThat(sallyport.lines()).doesNotContain("POST /v1/trust");
    }

    @Test
    void showAsksNobody() {
        sallyport.goodToken = FakeSallyport.SESSION_TOKEN;
        project("untrusted", "agent `a`");

        Run run = sallyport.run("trust", "--show");

        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(run.out()).contains(".pi/agents/a.md");
        assertThat(sallyport.lines()).doesNotContain("POST /v1/trust");
    }

    @Test // S31, T80
    void whatARepositorySaysIsShownVisibly() {
        project("untrusted", "agent `a\u001b[2K\u202e`\nnew  .pi/agents/good.md  agent `good`");

        Run run = sallyport.run("trust");

        assertThat(run.out())
                .isEqualTo(VisibleText.of(run.out()))
                .contains("\\x1b")
                .doesNotContain("\nnew  .pi/agents/good");
    }

    @Test
    void changedMeanwhileIsNotTrusted() {
        sallyport.terminal = FakeTerminal.confirming();
        project("untrusted", "agent `a`");
        sallyport.forget("POST /v1/trust");
        sallyport.problem(
                "POST /v1/trust",
                409,
                Json.object("code", "project-changed", "detail", "not those that were shown", "remedy", "look again"));

        Run run = sallyport.run("trust");

        assertThat(run.exitCode()).isEqualTo(125);
        assertThat(run.err())
                .contains("not those that were shown", "look again")
                .doesNotContain("trusted " + here);
    }

    @Test
    void listsAndRevokesEvenWhatIsGone() throws IOException {
        sallyport.terminal = FakeTerminal.person();
        Path gone = Files.createDirectory(sallyport.directory.toRealPath().resolve("gone"));
        Files.delete(gone);
        sallyport.on(
                "DELETE /v1/trust" + Api.query("directory", gone.toString()),
                exchange -> FakeSallyport.send(exchange, 204, "text/plain", ""));

        Run run = sallyport.run("trust", "revoke", gone.toString());

        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(run.out()).isEqualTo("revoked %s\n".formatted(gone));

        sallyport.goodToken = FakeSallyport.SESSION_TOKEN;
        sallyport.get(
                "/v1/trust",
                Json.object(
                        "trusted",
                        List.of(Json.object("directory", here, "digest", DIGEST, "trustedAt", "2026-12-01T06:00:00Z")
                                .value())));
        assertThat(sallyport.run("trust", "ls").out()).contains("PROJECT", here, DIGEST);
    }
}
