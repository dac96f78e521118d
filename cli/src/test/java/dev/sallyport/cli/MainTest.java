package dev.sallyport.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.syntax.ArchRuleDefinition;
import dev.sallyport.cli.FakeSallyport.Run;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MainTest extends WithSallyport {

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "rum x | error: no verb `rum` | did you mean run?",
                "frobnicate | error: no verb `frobnicate` | sallyport --help lists them",
                "ps --all | error: Unknown option: '--all' | sallyport ps --help",
                "inspect | error: Missing required parameter: 'CHILD' | sallyport inspect --help",
                "inspect ../../etc | expected: 16 of a-z and 2-7 | sallyport inspect --help",
                "asks | error: Missing required subcommand | sallyport asks --help",
                "ps -o yaml | `yaml` (expected: text or json) | sallyport ps --help"
            })
    void aBadCommandLineIsTwoLinesAnd125(String line, String first, String second) {
        Run run = sallyport.run(line.split(" ", -1));

        assertThat(run.exitCode()).isEqualTo(125);
        assertThat(run.out()).isEmpty();
        assertThat(run.err()).contains(first, second).hasLineCount(2);
        assertThat(sallyport.lines()).isEmpty();
    }

    @Test
    void helpOfEveryVerbIsThere() {
        Run help = sallyport.run("--help");

        assertThat(help.exitCode()).isZero();
        assertThat(help.out()).contains("Exit codes", "SALLYPORT_HOME");
        for (String verb : new String[] {"run", "ps", "asks watch", "credentials set", "mcp", "apply", "explain"}) {
            assertThat(sallyport.run((verb + " --help").split(" ", -1)).out()).contains("Usage: sallyport " + verb);
        }
    }

    @Test
    void helpOfWordsThatOnlyGroupVerbsIsThere() {
        for (String group : new String[] {"agents", "asks", "memory", "credentials", "trust"}) {
            Run help = sallyport.run(group, "--help");

            assertThat(help.exitCode()).isZero();
            assertThat(help.out()).contains("Usage: sallyport " + group, "Commands:");
        }
    }

    @Test
    void aBugIsOneLineAndNoStackTrace() {
        sallyport.text("GET /v1/children", "application/json", "<html>");

        Run run = sallyport.run("ps", "-o", "json");

        assertThat(run.exitCode()).isEqualTo(125);
        assertThat(run.json().text("code")).isEqualTo("answer-invalid");
        assertThat(run.err()).hasLineCount(1).doesNotContain("\tat ");
    }

    /** Every text goes through {@link Output}, so that no verb can forget to make it visible (S31). */
    @Test
    void nothingButOutputPrints() {
        JavaClasses classes = new ClassFileImporter()
                .withImportOption(new ImportOption.DoNotIncludeTests())
                .importPackages("dev.sallyport.cli");

        ArchRuleDefinition.noClasses()
                .that()
                .doNotHaveSimpleName("Output")
                // Prompts of our own words; the stack trace of a bug, when asked for.
                .and()
                .doNotHaveSimpleName("ProcessTerminal")
                .should()
                .callMethodWhere(com.tngtech.archunit.base.DescribedPredicate.describe(
                        "it prints",
                        call -> call.getTargetOwner().isAssignableTo(java.io.PrintStream.class)
                                && (call.getName().startsWith("print")
                                        || call.getName().startsWith("write"))))
                .check(classes);
    }
}
