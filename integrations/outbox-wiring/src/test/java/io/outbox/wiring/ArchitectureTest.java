package io.outbox.wiring;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;

import com.tngtech.archunit.core.importer.ClassFileImporter;
import org.junit.jupiter.api.Test;

/** No framework, and no way around the API of the other modules. */
class ArchitectureTest {

  @Test
  void onlyTheApiOfTheOutboxIsUsed() {
    classes()
        .should()
        .onlyDependOnClassesThat()
        .resideInAnyPackage(
            "java..",
            "javax.sql",
            "io.outbox",
            "io.outbox.dispatch",
            "io.outbox.jdbc",
            "io.outbox.jdbc.archive",
            "io.outbox.jdbc.partition",
            "io.outbox.jdbc.purge",
            "io.outbox.jdbc.store",
            "io.outbox.model",
            "io.outbox.policy",
            "io.outbox.registry",
            "io.outbox.spi..",
            "io.outbox.util",
            "io.outbox.wiring..")
        .check(
            new ClassFileImporter()
                .importUrl(Settings.class.getProtectionDomain().getCodeSource().getLocation()));
  }
}
