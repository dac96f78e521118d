package dev.sallyport.cli;

import static dev.sallyport.cli.FakeSallyport.PERSON_TOKEN;
import static dev.sallyport.cli.FakeSallyport.SESSION_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.cli.FakeSallyport.Run;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Where requests go and with which token (S22, S23). */
class ConnectionTest extends WithSallyport {

    private static final Json NOBODY = Json.object("children", List.of());

    @Test
    void saysThatNothingRuns() throws IOException {
        sallyport.stop();

        assertThat(sallyport.run("ps"))
                .isEqualTo(new Run(125, "", "error: sallyport is not running; run `sallyport up`\n"));

        Files.delete(sallyport.home.resolve("endpoint.json"));
        assertThat(sallyport.run("ps", "-q").err()).contains("not running");
        sallyport.variables.put("SALLYPORT_HOME", "/nowhere");
        assertThat(sallyport.run("run", "x", "-o", "json").json().text("code")).isEqualTo("not-running");
    }

    @Test
    void looksUpTheTokenAgainWhereItIsNoLongerGood() {
        sallyport.get("/v1/children", NOBODY);
        sallyport.on("GET /v1/children", exchange -> FakeSallyport.send(exchange, 200, "application/json", "{}"));
        sallyport.goodToken = "the next one";

        assertThat(sallyport.run("ps").exitCode()).isEqualTo(125);
        assertThat(sallyport.requests).hasSize(2);

        write("session.token", "the next one");
        assertThat(sallyport.run("ps").exitCode()).isZero();
    }

    private void write(String file, String text) {
        unchecked(() -> Files.writeString(sallyport.home.resolve(file), text));
    }

    private static void unchecked(Callable<?> action) {
        try {
            action.call();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void aTokenFileOfTheUsersIsUsedAsItIs() throws IOException {
        sallyport.get("/v1/children", NOBODY);
        Files.writeString(temporary.resolve("token"), "named.token\n");
        sallyport.goodToken = "named.token";

        assertThat(sallyport
                        .run(
                                "ps",
                                "--session-token-file",
                                temporary.resolve("token").toString())
                        .exitCode())
                .isZero();
        sallyport.variables.put(
                "SALLYPORT_TOKEN_FILE", temporary.resolve("token").toString());
        assertThat(sallyport.run("ps").exitCode()).isZero();
    }

    @Test
    void theLocalTokensAreNeverSentToAnAddressThatTheUserNamed() throws IOException {
        sallyport.openLogin();
        sallyport.terminal = FakeTerminal.person();
        sallyport.variables.put("SALLYPORT_GATEWAY", sallyport.address());
        sallyport.variables.put("SALLYPORT_PERMISSIONS", sallyport.address());

        assertThat(sallyport.run("ps").err()).contains("no token for");
        assertThat(sallyport.run("asks", "approve", "q").err()).contains("no token for");
        assertThat(sallyport.run("credentials", "ls").err()).contains("no token for");
        assertThat(sallyport.lines()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "http://gateway.example:7070",
                "http://127.0.0.1.evil.example",
                "http://user@127.0.0.1:7070",
                "ftp://127.0.0.1",
                "gateway.example",
                "https://"
            })
    void aTokenIsNotSentInTheClear(String address) throws IOException {
        Files.writeString(temporary.resolve("token"), "t");
        sallyport.variables.put("SALLYPORT_GATEWAY", address);
        sallyport.variables.put("SALLYPORT_PERMISSIONS", sallyport.address());
        sallyport.variables.put(
                "SALLYPORT_TOKEN_FILE", temporary.resolve("token").toString());

        assertThat(sallyport.run("ps").err()).contains("SALLYPORT_GATEWAY", "expected: https");
    }

    @Test
    void aDataDirectoryThatOthersMayWriteToIsNotBelieved() throws IOException {
        Files.setPosixFilePermissions(sallyport.home, PosixFilePermissions.fromString("rwxrwx---"));

        assertThat(sallyport.run("ps").err()).contains("others may write to", "chmod 700");
        assertThat(sallyport.lines()).isEmpty();
    }

    @Test
    void noVerbThatAnAgentMayUseLogsIn() throws IOException {
        sallyport.openLogin();
        sallyport.goodToken = SESSION_TOKEN;
        sallyport.terminal = FakeTerminal.person();
        sallyport.get("/v1/children", NOBODY);
        sallyport.get("/v1/asks?state=pending", Json.object("asks", List.of()));

        sallyport.run("ps");
        sallyport.run("asks", "ls");
        sallyport.run("review");

        assertThat(sallyport.lines()).hasSize(3).doesNotContain("LOGIN login");
        assertThat(sallyport.requests).allMatch(request -> request.token().equals("Bearer " + SESSION_TOKEN));
    }

    @Test // P19
    void aCredentialGoesFromStandardInputToTheGatewayAndNowhereElse() throws IOException {
        sallyport.openLogin();
        sallyport.on("PUT /v1/credentials/anthropic", exchange -> FakeSallyport.send(exchange, 204, "text/plain", ""));
        sallyport.input = "sk-secret-value\n";
        sallyport.terminal = FakeTerminal.confirming();

        Run piped = sallyport.run("credentials", "set", "anthropic");
        sallyport.terminal = FakeTerminal.person("sk-secret-value");
        Run typed = sallyport.run("credentials", "set", "anthropic", "-o", "json");

        assertThat(piped).isEqualTo(new Run(0, "set credential anthropic\n", ""));
        assertThat(typed.exitCode()).isZero();
        assertThat(typed.out() + typed.err()).doesNotContain("secret");
        assertThat(sallyport.requests)
                .filteredOn(request -> request.line().startsWith("PUT"))
                .hasSize(2)
                .allMatch(request -> request.body().equals("sk-secret-value"))
                .allMatch(request -> request.token().equals("Bearer " + PERSON_TOKEN));
    }

    @Test // S23
    void aProgramSetsListsAndRemovesNoCredentials() throws IOException {
        sallyport.openLogin();
        sallyport.input = "sk-secret-value";

        assertThat(sallyport.run("credentials", "set", "x").err()).contains("needs a person");
        assertThat(sallyport.run("credentials", "ls").err()).contains("needs a person");
        assertThat(sallyport.run("credentials", "rm", "x").err()).contains("needs a person");
        assertThat(sallyport.lines()).isEmpty();
    }

    @Test
    void aPersonListsAndRemovesCredentials() throws IOException {
        sallyport.openLogin();
        sallyport.terminal = FakeTerminal.person();
        sallyport.get(
                "/v1/credentials",
                Json.object(
                        "credentials",
                        List.of(Json.object("name", "github", "hosts", List.of("api.github.com"))
                                .value())));
        sallyport.on("DELETE /v1/credentials/github", exchange -> FakeSallyport.send(exchange, 204, "text/plain", ""));

        assertThat(sallyport.run("credentials", "ls").out())
                .isEqualTo("CREDENTIAL  HOSTS\ngithub      api.github.com\n");
        assertThat(sallyport.run("credentials", "rm", "github").exitCode()).isZero();
    }

    private static Json memory(String id, String agent, int version) {
        return Json.object("id", id, "agent", agent, "version", version);
    }

    @Test
    void aPersonGoesBackToAVersionOfAMemoryAndRemovesOne() throws IOException {
        sallyport.openLogin();
        sallyport.terminal = FakeTerminal.person();
        String path = "/v1/memories/mmmmmmmmmmmmmmmm";
        sallyport.get(
                "/v1/memories",
                Json.object(
                        "memories",
                        List.of(memory("mmmmmmmmmmmmmmmm", "keeper", 2).value())));
        sallyport.post(path + "/revert", memory("mmmmmmmmmmmmmmmm", "keeper", 3));
        sallyport.on("DELETE " + path, exchange -> FakeSallyport.send(exchange, 204, "text/plain", ""));

        assertThat(sallyport.run("memory", "revert", "keeper", "1"))
                .isEqualTo(new Run(0, "version 3 of memory mmmmmmmmmmmmmmmm is version 1 again\n", ""));
        assertThat(sallyport.only("POST " + path + "/revert").json()).isEqualTo(Json.object("version", 1));
        assertThat(sallyport
                        .run("memory", "rm", "mmmmmmmmmmmmmmmm", "-o", "json")
                        .json())
                .isEqualTo(Json.object("memory", "mmmmmmmmmmmmmmmm", "removed", true));
    }

    /** An agent would like to have its poison back. */
    @Test // S23
    void aProgramChangesNoMemory() throws IOException {
        sallyport.openLogin();

        assertThat(sallyport.run("memory", "revert", "keeper", "1").err()).contains("needs a person");
        assertThat(sallyport.run("memory", "rm", "keeper").err()).contains("needs a person");
        assertThat(sallyport.lines()).isEmpty();
    }

    @Test
    void aMemoryIsNamedByItsAgentOnlyWhereThatIsClear() {
        sallyport.get(
                "/v1/memories",
                Json.object(
                        "memories",
                        List.of(
                                memory("aaaaaaaaaaaaaaaa", "keeper", 1).value(),
                                memory("bbbbbbbbbbbbbbbb", "keeper", 1).value())));

        assertThat(sallyport.run("memory", "show", "keeper").err())
                .contains("name one by its id: aaaaaaaaaaaaaaaa, bbbbbbbbbbbbbbbb");
        assertThat(sallyport
                        .run("memory", "show", "nobody", "-o", "json")
                        .json()
                        .text("code"))
                .isEqualTo("memory-not-found");
    }
}
