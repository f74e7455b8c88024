package io.outbox.it;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The arrows between modules point to the core, and nobody reaches into another's insides. */
class ModuleArrowsTest {

  /** The directory that a class, or the jar with it, comes from. */
  private static final Pattern DIRECTORY = Pattern.compile(".*/(outbox-[a-z-]+)/");

  /** What the modules may use beside the JDK, themselves and the core's API. */
  private static final Map<String, List<String>> OTHERS =
      Map.of(
          "outbox-core", List.of(),
          "outbox-jdbc", List.of("javax.sql"),
          "outbox-gson", List.of("com.google.gson"),
          "outbox-testing", List.of("org.junit.jupiter", "org.assertj"));

  private static final JavaClasses CLASSES = new ClassFileImporter().importPackages("io.outbox");

  @Test
  void everyModuleUsesItselfTheApiOfTheCoreAndWhatItIsFor() {
    assertThat(CLASSES.stream().map(ModuleArrowsTest::moduleOf).collect(Collectors.toSet()))
        .containsAll(OTHERS.keySet());
    classes().that(ofAModule()).should(followTheArrows()).check(CLASSES);
  }

  private static String moduleOf(JavaClass type) {
    String source = type.getSource().map(from -> from.getUri().toString()).orElse("");
    Matcher directory = DIRECTORY.matcher(source);
    return directory.find() ? directory.group(1) : "";
  }

  private static DescribedPredicate<JavaClass> ofAModule() {
    return DescribedPredicate.describe(
        "are of one of " + OTHERS.keySet(), type -> OTHERS.containsKey(moduleOf(type)));
  }

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
      return owner.equals(module) || coreApi;
    }
    return OTHERS.get(module).stream().anyMatch(packageName::startsWith);
  }
}
