package io.outbox.quarkus.runtime;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import org.junit.jupiter.api.Test;

/** No way around the API of the other modules, and optional libraries in one place each. */
class ArchitectureTest {

  private static final JavaClasses CLASSES =
      new ClassFileImporter()
          .importUrl(OutboxConfig.class.getProtectionDomain().getCodeSource().getLocation());

  @Test
  void nobodyReachesIntoTheInsidesOfOtherModules() {
    noClasses()
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("io.outbox..internal..", "io.outbox.gson..", "io.outbox.testing..")
        .check(CLASSES);
  }

  @Test
  void optionalLibrariesAreUsedInOnePlaceEach() {
    noClasses()
        .that()
        .doNotHaveSimpleName("OutboxMetrics")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("io.micrometer..", "io.outbox.micrometer..")
        .check(CLASSES);
    noClasses()
        .that()
        .doNotHaveSimpleName("OutboxTraces")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("io.opentelemetry..", "io.outbox.tracing..")
        .check(CLASSES);
    noClasses()
        .that()
        .haveNameNotMatching(".*OutboxHealthCheck.*")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("org.eclipse.microprofile.health..")
        .check(CLASSES);
  }
}
