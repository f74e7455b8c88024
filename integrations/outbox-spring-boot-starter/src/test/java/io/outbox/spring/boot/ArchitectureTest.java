package io.outbox.spring.boot;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import org.junit.jupiter.api.Test;

/** One jar for two versions of Spring Boot, and no way around the API of the others. */
class ArchitectureTest {

  private static final JavaClasses CLASSES =
      new ClassFileImporter()
          .importUrl(OutboxProperties.class.getProtectionDomain().getCodeSource().getLocation());

  @Test
  void nobodyReachesIntoTheInsidesOfOtherModules() {
    noClasses()
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("io.outbox..internal..", "io.outbox.gson..", "io.outbox.testing..")
        .check(CLASSES);
  }

  @Test
  void whatOnlySpringBoot3HasIsUsedInOnePlace() {
    noClasses()
        .that()
        .haveNameNotMatching(".*OutboxBoot3.*")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(
            "org.springframework.boot.actuate.health..",
            "org.springframework.boot.actuate.autoconfigure.health..",
            "org.springframework.boot.actuate.autoconfigure.metrics..",
            "org.springframework.boot.autoconfigure.flyway..",
            "org.springframework.boot.autoconfigure.jackson..",
            "org.springframework.boot.autoconfigure.jdbc..",
            "org.springframework.boot.autoconfigure.liquibase..",
            "org.springframework.boot.autoconfigure.orm..",
            "org.springframework.boot.autoconfigure.transaction..")
        .check(CLASSES);
  }

  @Test
  void whatOnlySpringBoot4HasIsUsedInOnePlace() {
    noClasses()
        .that()
        .haveNameNotMatching(".*OutboxBoot4.*")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("org.springframework.boot.health..")
        .check(CLASSES);
  }

  @Test
  void eachJacksonIsUsedInOnePlace() {
    noClasses()
        .that()
        .haveNameNotMatching(".*(OutboxJsonAutoConfiguration|\\.JacksonJsonCodec).*")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("com.fasterxml.jackson..", "tools.jackson..")
        .check(CLASSES);
  }
}
