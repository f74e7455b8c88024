package io.outbox.it;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.ArchConfiguration;
import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.Location;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import io.outbox.Outbox;
import io.outbox.gson.GsonJsonCodec;
import io.outbox.inbox.Inbox;
import io.outbox.jdbc.store.JdbcOutboxStores;
import io.outbox.testing.InMemoryOutboxStore;
import java.net.URI;
import java.net.URL;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The arrows between modules point to the core, and nobody reaches into another's insides. */
class ModuleArrowsTest {

  private static final Map<String, URL> LOCATIONS =
      Map.of(
          "outbox-core", locationOf(Outbox.class),
          "outbox-jdbc", locationOf(JdbcOutboxStores.class),
          "outbox-inbox", locationOf(Inbox.class),
          "outbox-gson", locationOf(GsonJsonCodec.class),
          "outbox-testing", locationOf(InMemoryOutboxStore.class));

  /** What the modules may use beside the JDK, themselves and the core's API. */
  private static final Map<String, List<String>> OTHERS =
      Map.of(
          "outbox-core", List.of(),
          "outbox-jdbc", List.of("javax.sql"),
          "outbox-inbox", List.of("javax.sql", "org.apache.kafka"),
          "outbox-gson", List.of("com.google.gson"),
          "outbox-testing", List.of("org.junit.jupiter", "org.assertj"));

  private static final JavaClasses CLASSES = classesOfModules();

  private static URL locationOf(Class<?> type) {
    return type.getProtectionDomain().getCodeSource().getLocation();
  }

  private static JavaClasses classesOfModules() {
    // of the others the names are enough
    ArchConfiguration.get().setResolveMissingDependenciesFromClassPath(false);
    return new ClassFileImporter()
        .importLocations(LOCATIONS.values().stream().map(ModuleArrowsTest::asLocation).toList());
  }

  private static Location asLocation(URL url) {
    return Location.of(
        URI.create(url.getPath().endsWith(".jar") ? "jar:" + url + "!/" : url.toString()));
  }

  @Test
  void everyModuleUsesItselfTheApiOfTheCoreAndWhatItIsFor() {
    assertThat(CLASSES.stream().map(ModuleArrowsTest::moduleOf).collect(Collectors.toSet()))
        .containsAll(OTHERS.keySet());
    classes().that(ofAModule()).should(followTheArrows()).check(CLASSES);
  }

  /** The module that a class is from, or an empty text. */
  private static String moduleOf(JavaClass type) {
    String source = type.getSource().map(from -> from.getUri().toString()).orElse("");
    return LOCATIONS.keySet().stream()
        .filter(module -> source.contains(LOCATIONS.get(module).getPath()))
        .findFirst()
        .orElse("");
  }

  private static DescribedPredicate<JavaClass> ofAModule() {
    return DescribedPredicate.describe(
        "are of one of " + OTHERS.keySet(), type -> OTHERS.containsKey(moduleOf(type)));
  }

  /** What the core exports to modules that it names. */
  private static final Set<String> EXPORTED =
      Set.of("io.outbox.internal.tx", "io.outbox.internal.json");

  private static ArchCondition<JavaClass> followTheArrows() {
    return new ArchCondition<>("follow the arrows") {
      @Override
      public void check(JavaClass type, ConditionEvents events) {
        type.getDirectDependenciesFromSelf().stream()
            .filter(dependency -> !isAllowed(moduleOf(type), dependency))
            .forEach(
                dependency ->
                    events.add(SimpleConditionEvent.violated(type, dependency.getDescription())));
      }
    };
  }

  private static boolean isAllowed(String module, Dependency dependency) {
    JavaClass target = dependency.getTargetClass().getBaseComponentType();
    String packageName = target.getPackageName();
    if (target.isPrimitive() || packageName.startsWith("java.")) {
      return true;
    }
    if (packageName.startsWith("io.outbox")) {
      String owner = moduleOf(target);
      boolean coreApi = owner.equals("outbox-core") && !packageName.contains(".internal");
      return owner.equals(module) || coreApi || EXPORTED.contains(packageName);
    }
    return OTHERS.get(module).stream().anyMatch(packageName::startsWith);
  }
}
