package io.outbox.spring;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

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
            "io.outbox.util",
            "io.outbox.spring",
            "jakarta.persistence",
            "org.springframework.core..",
            "org.springframework.dao.support",
            "org.springframework.jdbc.datasource..",
            "org.springframework.orm.jpa",
            "org.springframework.transaction..",
            "org.springframework.util..")
        .check(CLASSES);
  }

  @Test
  void applicationsWithoutJpaLoadNoClassThatNeedsIt() {
    noClasses()
        .that()
        .doNotHaveFullyQualifiedName("io.outbox.spring.JpaFlush")
        .and()
        .doNotHaveFullyQualifiedName("io.outbox.spring.JpaFlush$Pending")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("jakarta.persistence..", "org.springframework.orm..")
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
