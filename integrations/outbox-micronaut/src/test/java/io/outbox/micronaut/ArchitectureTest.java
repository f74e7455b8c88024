package io.outbox.micronaut;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ArchitectureTest {

  private static final JavaClasses CLASSES =
      new ClassFileImporter()
          .importUrl(MicronautTxContext.class.getProtectionDomain().getCodeSource().getLocation())
          .that(
              DescribedPredicate.describe(
                  "are written by us", type -> !type.getName().contains(".$")));

  private static final Set<Class<?>> PUBLIC =
      Set.of(MicronautTxContext.class, OutboxConfiguration.class, OutboxBuilderCustomizer.class);

  @Test
  void nobodyReachesIntoTheInsidesOfOtherModules() {
    noClasses()
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("io.outbox..internal..", "io.outbox.gson..", "io.outbox.testing..")
        .check(CLASSES);
  }

  @Test
  void onlyWhatApplicationsUseIsPublic() {
    classes()
        .that()
        .areTopLevelClasses()
        .and(
            DescribedPredicate.describe(
                "are none of " + PUBLIC,
                (JavaClass type) -> PUBLIC.stream().noneMatch(type::isEquivalentTo)))
        .should()
        .notBePublic()
        .check(CLASSES);
  }

  @Test
  void optionalLibrariesAreUsedInOnePlaceEach() {
    noClasses()
        .that()
        .doNotHaveSimpleName("OutboxHealth")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("io.micronaut.management..", "io.micronaut.health..")
        .check(CLASSES);
    noClasses()
        .that()
        .doNotHaveSimpleName("OutboxMetrics")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("io.micrometer..", "io.outbox.micrometer..")
        .check(CLASSES);
  }
}
