package dev.sallyport.gateway;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

@AnalyzeClasses(packages = "dev.sallyport.gateway", importOptions = DoNotIncludeTests.class)
class ArchitectureTest {

    @ArchTest
    static final ArchRule onlyTheDockerDriverSpeaksDocker = noClasses()
            .that()
            .resideOutsideOfPackage("dev.sallyport.gateway.sandbox.docker..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("com.github.dockerjava..")
            .because("a second door to the daemon is a second thing to harden");

    @ArchTest
    static final ArchRule onlyTheWorkspaceSpeaksGit = noClasses()
            .that()
            .resideOutsideOfPackage("dev.sallyport.gateway.workspace..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("org.eclipse.jgit..")
            .because("JGit runs in a process of its own only (S15)");

    @ArchTest
    static final ArchRule theDoorIsNotSpring = noClasses()
            .that()
            .resideInAPackage("dev.sallyport.gateway.door..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("org.springframework..", "jakarta.servlet..")
            .because("the door is a server of its own with exactly its routes (S10)");

    @ArchTest
    static final ArchRule onlyTheDoorIsAServerOfItsOwn = noClasses()
            .that()
            .resideOutsideOfPackage("dev.sallyport.gateway.door..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("org.eclipse.jetty.server..");

    @ArchTest
    static final ArchRule theDoorKnowsChildrenOnlyByItsOwnInterfaces = noClasses()
            .that()
            .resideInAnyPackage("dev.sallyport.gateway.door..", "dev.sallyport.gateway.sandbox..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("dev.sallyport.gateway.child..", "dev.sallyport.gateway.permission..");

    @ArchTest
    static final ArchRule noCycles =
            slices().matching("dev.sallyport.gateway.(*)..").should().beFreeOfCycles();
}
