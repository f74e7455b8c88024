package io.outbox.jooq;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import org.junit.jupiter.api.Test;

/** tests/sql-libraries-tests show what this module does. */
class ArchitectureTest {

  private static final JavaClasses CLASSES =
      new ClassFileImporter()
          .importUrl(JooqTransactions.class.getProtectionDomain().getCodeSource().getLocation());

  @Test
  void itUsesTheTransactionsOfTheOutboxAndTheApiOfJooq() {
    classes()
        .should()
        .onlyDependOnClassesThat()
        .resideInAnyPackage(
            "java..",
            "io.outbox.jdbc.tx",
            "io.outbox.jooq",
            "io.outbox.spi",
            "org.jooq",
            "org.jooq.exception")
        .check(CLASSES);
  }

  @Test
  void onlyTheEntryPointIsPublic() {
    classes()
        .that()
        .doNotHaveFullyQualifiedName(JooqTransactions.class.getName())
        .should()
        .notBePublic()
        .check(CLASSES);
  }
}
