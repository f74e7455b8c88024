package io.outbox.jdbc;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackages;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ArchitectureTest {

  private static final String ROOT = "io.outbox.jdbc";

  /** Each package, and the packages it may use besides the root; the root has the schema's API. */
  private static final Map<String, Set<String>> ARROWS =
      Map.ofEntries(
          Map.entry(ROOT, Set.of("internal", "schema")),
          Map.entry("spi", Set.of()),
          Map.entry("dialect", Set.of("spi")),
          Map.entry("internal", Set.of("spi", "dialect")),
          Map.entry("schema", Set.of("internal")),
          Map.entry("insert", Set.of("internal")),
          Map.entry("pending", Set.of("internal")),
          Map.entry("outcome", Set.of("internal")),
          Map.entry("count", Set.of("internal", "schema")),
          Map.entry("search", Set.of("internal", "schema")),
          Map.entry("lanes", Set.of("internal", "schema")),
          Map.entry("subscription", Set.of("internal", "schema")),
          Map.entry("operate", Set.of("internal", "schema", "count", "search", "lanes", "outcome")),
          Map.entry(
              "store",
              Set.of(
                  "spi",
                  "dialect",
                  "internal",
                  "finished",
                  "insert",
                  "pending",
                  "outcome",
                  "count",
                  "lanes",
                  "operate",
                  "subscription")),
          Map.entry("finished", Set.of("internal")),
          Map.entry("purge", Set.of("internal", "finished")),
          Map.entry("partition", Set.of("internal", "schema", "purge")),
          Map.entry("archive", Set.of("internal", "schema", "finished", "search", "store")),
          Map.entry("tx", Set.of()));

  private final JavaClasses classes =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .importPackages(ROOT);

  @Test
  void packagesUseOnlyThoseBelowThem() {
    ARROWS.forEach(
        (room, below) ->
            noClasses()
                .that()
                .resideInAPackage(packageOf(room))
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                    ARROWS.keySet().stream()
                        .filter(other -> !other.equals(room) && !other.equals(ROOT))
                        .filter(other -> !below.contains(other))
                        .map(ArchitectureTest::packageOf)
                        .toArray(String[]::new))
                .check(classes));
  }

  @Test
  void everyPackageHasItsArrows() {
    assertThat(classes.stream().map(JavaClass::getPackageName))
        .isSubsetOf(ARROWS.keySet().stream().map(ArchitectureTest::packageOf).toList());
  }

  private static String packageOf(String room) {
    return switch (room) {
      case ROOT -> ROOT;
      case "store", "purge", "partition", "archive", "tx", "spi", "internal" -> ROOT + "." + room;
      default -> ROOT + ".internal." + room;
    };
  }

  @Test
  void onlyTheApiOfTheCoreIsUsed() {
    noClasses()
        .should()
        .dependOnClassesThat(
            resideInAnyPackage("io.outbox.internal..", "io.outbox.dispatch..", "io.outbox.poller..")
                .and(resideOutsideOfPackages("io.outbox.internal.tx", "io.outbox.internal.json")))
        .check(classes);
  }
}
