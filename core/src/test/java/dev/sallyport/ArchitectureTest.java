package dev.sallyport;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import dev.sallyport.invocation.SettingsFile;
import dev.sallyport.toolscope.ExtensionFiles;

/** What core may depend on. Whatever decides must be readable without a framework. */
@AnalyzeClasses(packages = "dev.sallyport", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {

    @ArchTest
    static final ArchRule PLAIN_JAVA = classes()
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage(
                    "dev.sallyport..",
                    "java..",
                    "org.jspecify..",
                    "org.snakeyaml.engine..",
                    "org.commonmark..",
                    "tools.jackson.core..");

    @ArchTest
    static final ArchRule NO_CYCLES =
            slices().matching("dev.sallyport.(*)..").should().beFreeOfCycles();

    @ArchTest
    static final ArchRule ONLY_READERS_OF_AGENTS_READ_FILES = noClasses()
            .that()
            .resideOutsideOfPackages(
                    "dev.sallyport.agentfile", "dev.sallyport.memory", "dev.sallyport.project", "dev.sallyport.skill")
            .and()
            .doNotBelongToAnyOf(SettingsFile.class, ExtensionFiles.class)
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("java.nio.file..", "java.net.http..");

    @ArchTest
    static final ArchRule NO_CLOCK = noClasses()
            .should()
            .callMethod(java.time.Instant.class, "now")
            .orShould()
            .callMethod(System.class, "currentTimeMillis");
}
