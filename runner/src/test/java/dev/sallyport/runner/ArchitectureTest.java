package dev.sallyport.runner;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.belongToAnyOf;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import dev.sallyport.invocation.Turns;
import dev.sallyport.model.Thinking;

@AnalyzeClasses(packages = "dev.sallyport.runner", importOptions = DoNotIncludeTests.class)
class ArchitectureTest {

    @ArchTest
    static final ArchRule smallAndPlain = classes()
            .should()
            .onlyDependOnClassesThat(resideInAnyPackage(
                            "dev.sallyport.runner..",
                            "dev.sallyport.identity",
                            "dev.sallyport.toolscope",
                            "java..",
                            "tools.jackson..",
                            "org.jspecify..")
                    .or(belongToAnyOf(Turns.class, Thinking.class)))
            .because("every child pays for what its runner loads");

    @ArchTest
    static final ArchRule onlyTheDoorOpensSockets = noClasses()
            .that()
            .resideOutsideOfPackage("dev.sallyport.runner.door")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("java.nio.channels..", "java.net.http..")
            .because("there is one way out");

    @ArchTest
    static final ArchRule noCycles =
            slices().matching("dev.sallyport.runner.(*)..").should().beFreeOfCycles();
}
