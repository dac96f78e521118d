package dev.sallyport;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** How the tests of core speak. */
@AnalyzeClasses(packages = "dev.sallyport", importOptions = ImportOption.OnlyIncludeTests.class)
class AssertionsTest {

    @ArchTest
    static final ArchRule ASSERTJ_ONLY =
            noClasses().should().dependOnClassesThat().haveFullyQualifiedName("org.junit.jupiter.api.Assertions");
}
