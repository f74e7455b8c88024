package io.outbox.jta;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import org.junit.jupiter.api.Test;

class ArchitectureTest {

  private static final JavaClasses CLASSES =
      new ClassFileImporter()
          .importUrl(JtaTxContext.class.getProtectionDomain().getCodeSource().getLocation());

  @Test
  void theModuleUsesTheApiOfTheCoreAndOfJta() {
    classes()
        .should()
        .onlyDependOnClassesThat()
        .resideInAnyPackage(
            "java..",
            "javax.sql",
            "io.outbox.spi",
            "io.outbox.util",
            "io.outbox.jta",
            "jakarta.transaction")
        .check(CLASSES);
  }

  @Test
  void onlyTheContextIsPublic() {
    classes()
        .that()
        .doNotHaveFullyQualifiedName(JtaTxContext.class.getName())
        .and()
        .areTopLevelClasses()
        .should()
        .notBePublic()
        .check(CLASSES);
  }
}
