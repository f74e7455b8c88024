package io.outbox.jdbc;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

class ArchitectureTest {

  private final JavaClasses classes =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .importPackages("io.outbox.jdbc");

  @Test
  void whatIsSharedKnowsNobodyWhoSharesIt() {
    noClasses()
        .that()
        .resideInAPackage("io.outbox.jdbc.internal..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(
            "io.outbox.jdbc.store..", "io.outbox.jdbc.purge..", "io.outbox.jdbc.tx..")
        .check(classes);
  }

  @Test
  void storesPurgersAndTransactionsDoNotKnowEachOther() {
    String[] rooms = {"io.outbox.jdbc.store..", "io.outbox.jdbc.purge..", "io.outbox.jdbc.tx.."};
    for (String room : rooms) {
      for (String other : rooms) {
        if (!room.equals(other)) {
          noClasses()
              .that()
              .resideInAPackage(room)
              .should()
              .dependOnClassesThat()
              .resideInAPackage(other)
              .check(classes);
        }
      }
    }
  }

  @Test
  void onlyTheApiOfTheCoreIsUsed() {
    noClasses()
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("io.outbox.internal..", "io.outbox.dispatch..", "io.outbox.poller..")
        .check(classes);
  }
}
