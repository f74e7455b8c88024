package io.outbox.spring;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import org.junit.jupiter.api.Test;

class ArchitectureTest {

  private static final JavaClasses CLASSES =
      new ClassFileImporter()
          .importUrl(SpringTxContext.class.getProtectionDomain().getCodeSource().getLocation());

  @Test
  void theAdapterUsesTheApiOfTheCoreAndSpringsTransactions() {
    classes()
        .should()
        .onlyDependOnClassesThat()
        .resideInAnyPackage(
            "java..",
            "javax.sql..",
            "io.outbox.spi",
            "io.outbox.spring",
            "org.springframework.core..",
            "org.springframework.jdbc.datasource..",
            "org.springframework.transaction..",
            "org.springframework.util..")
        .check(CLASSES);
  }

  @Test
  void onlyTheContextIsPublic() {
    classes()
        .that()
        .doNotHaveFullyQualifiedName(SpringTxContext.class.getName())
        .and()
        .areTopLevelClasses()
        .should()
        .notBePublic()
        .check(CLASSES);
  }
}
