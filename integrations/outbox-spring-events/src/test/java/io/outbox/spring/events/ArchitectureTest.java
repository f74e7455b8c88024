package io.outbox.spring.events;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import org.junit.jupiter.api.Test;

class ArchitectureTest {

  private static final JavaClasses CLASSES =
      new ClassFileImporter()
          .importUrl(OutboxEventRecorder.class.getProtectionDomain().getCodeSource().getLocation());

  @Test
  void itUsesTheApiOfTheCoreAndOfSpring() {
    classes()
        .should()
        .onlyDependOnClassesThat()
        .resideInAnyPackage(
            "java..",
            "io.outbox",
            "io.outbox.spring.events",
            "org.springframework.beans.factory..",
            "org.springframework.boot.autoconfigure..",
            "org.springframework.context..",
            "org.springframework.core",
            "org.springframework.core.annotation",
            "org.springframework.expression..",
            "org.springframework.modulith.events",
            "org.springframework.util")
        .check(CLASSES);
  }

  @Test
  void applicationsWithoutModulithOrBootLoadNoClassThatNeedsThem() {
    noClasses()
        .that()
        .haveNameNotMatching(".*(ModulithEvents|OutboxEventsAutoConfiguration).*")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("org.springframework.modulith..", "org.springframework.boot..")
        .check(CLASSES);
  }
}
