package dev.sallyport.permissions;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

@AnalyzeClasses(packages = "dev.sallyport.permissions", importOptions = DoNotIncludeTests.class)
class ArchitectureTest {

    @ArchTest
    static final ArchRule dependsOnCoreAndServiceOnly = noClasses()
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(
                    "dev.sallyport.gateway..",
                    "dev.sallyport.runner..",
                    "dev.sallyport.cli..",
                    "dev.sallyport.standalone..",
                    "dev.sallyport.bench..")
            .because("the services speak over HTTP");

    @ArchTest
    static final ArchRule noCycles =
            slices().matching("dev.sallyport.permissions.(*)..").should().beFreeOfCycles();

    @ArchTest
    static final ArchRule noClockButTheDatabases = noClasses()
            .should()
            .dependOnClassesThat()
            .haveFullyQualifiedName("java.time.Clock")
            .orShould()
            .callMethod(java.time.Instant.class, "now")
            .orShould()
            .callMethod(System.class, "currentTimeMillis")
            .because("replicas disagree about the hour (T82i)");

    @ArchTest
    static final ArchRule controllersAreSeenByNobody =
            classes().that().haveSimpleNameEndingWith("Controller").should().bePackagePrivate();
}
