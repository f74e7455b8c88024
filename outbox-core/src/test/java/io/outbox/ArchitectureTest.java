package io.outbox;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.GeneralCodingRules.NO_CLASSES_SHOULD_ACCESS_STANDARD_STREAMS;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaMember;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import io.outbox.dispatch.DispatcherWriterHook;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class ArchitectureTest {

  private static final String INTERNAL = "io.outbox.internal";

  /** Its methods are those of an internal type; users only construct it. */
  private static final String POLLER_HANDLER = "io.outbox.dispatch.DispatcherPollerHandler";

  /** Who knows whom among the hidden packages; {@code internal} itself is for all of them. */
  private static final Map<String, Set<String>> ARROWS =
      Map.ofEntries(
          Map.entry("breaker", Set.of()),
          Map.entry("json", Set.of()),
          Map.entry("time", Set.of()),
          Map.entry("publish", Set.of()),
          Map.entry("queue", Set.of()),
          Map.entry("settings", Set.of()),
          Map.entry("tx", Set.of()),
          Map.entry("write", Set.of()),
          Map.entry("store", Set.of("time", "tx")),
          Map.entry("subscribe", Set.of("json", "settings", "store", "time", "write")),
          Map.entry("member", Set.of("store", "time")),
          Map.entry("lanes", Set.of("store", "time")),
          Map.entry("signals", Set.of("store", "time")),
          Map.entry("lease", Set.of("queue", "store", "time")),
          Map.entry("record", Set.of("queue", "store", "time")),
          Map.entry("policy", Set.of("queue", "record")),
          Map.entry("poll", Set.of("lease", "queue", "store", "time")),
          Map.entry("hot", Set.of("lease", "queue", "store", "time")),
          Map.entry("call", Set.of("breaker", "policy", "queue", "record", "store", "time")),
          Map.entry("keyed", Set.of("lanes", "member", "queue", "record", "store", "time")),
          Map.entry(
              "engine",
              Set.of(
                  "breaker",
                  "call",
                  "hot",
                  "keyed",
                  "lanes",
                  "lease",
                  "member",
                  "policy",
                  "poll",
                  "queue",
                  "record",
                  "settings",
                  "signals",
                  "store",
                  "time")));

  private static final JavaClasses CORE =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .importPackages("io.outbox");

  @Test
  void coreDependsOnTheJdkAlone() {
    classes()
        .should()
        .onlyDependOnClassesThat()
        .resideInAnyPackage("java..", "io.outbox..")
        .check(CORE);
  }

  @Test
  void loggingIsThatOfTheSystem() {
    noClasses()
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("java.util.logging..")
        .check(CORE);
    NO_CLASSES_SHOULD_ACCESS_STANDARD_STREAMS.check(CORE);
  }

  @Test
  void modelAndExtensionPointsKnowNothingOfTheEngine() {
    noClasses()
        .that()
        .resideInAnyPackage("io.outbox.model", "io.outbox.spi..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(
            "io.outbox.dispatch",
            "io.outbox.poller",
            "io.outbox.purge",
            "io.outbox.dead",
            "io.outbox.registry")
        .check(CORE);
  }

  @Test
  void modelKnowsNoExtensionPoint() {
    noClasses()
        .that()
        .resideInAPackage("io.outbox.model")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("io.outbox.spi..", INTERNAL + "..")
        .check(CORE);
  }

  @Test
  void hiddenPackagesKnowEachOtherAsDrawn() {
    slices().matching(INTERNAL + ".(*)..").should().beFreeOfCycles().check(CORE);
    Map<String, Set<String>> arrows = new TreeMap<>();
    for (JavaClass type : CORE) {
      String from = room(type);
      if (from != null) {
        Set<String> known = arrows.computeIfAbsent(from, room -> new TreeSet<>());
        type.getDirectDependenciesFromSelf().stream()
            .map(arrow -> room(arrow.getTargetClass().getBaseComponentType()))
            .filter(to -> to != null && !to.equals(from))
            .forEach(known::add);
      }
    }
    assertThat(arrows).isEqualTo(ARROWS);
  }

  /** The last part of a hidden package's name; null of other packages. */
  private static String room(JavaClass type) {
    String name = type.getPackageName();
    return name.startsWith(INTERNAL + ".") ? name.substring(INTERNAL.length() + 1) : null;
  }

  @Test
  void theEngineIsNotToldTheTimeByTheJvm() {
    // An envelope may be made anywhere; everything else asks a clock that was given.
    noClasses()
        .that()
        .doNotHaveFullyQualifiedName(EventEnvelope.Builder.class.getName())
        .should()
        .callMethod(Instant.class, "now")
        .check(CORE);
    noClasses().should().callMethod(Thread.class, "sleep", long.class).check(CORE);
  }

  @Test
  void internalTypesAreNotInThePublicApi() {
    classes()
        .that(isPublic())
        .and()
        .resideOutsideOfPackage(INTERNAL + "..")
        .and()
        .doNotHaveFullyQualifiedName(POLLER_HANDLER)
        .and()
        .doNotHaveFullyQualifiedName(DispatcherWriterHook.class.getName())
        .should(notMention(INTERNAL))
        .check(CORE);
  }

  private static DescribedPredicate<JavaClass> isPublic() {
    return DescribedPredicate.describe(
        "are public, and so is what they are nested in",
        type -> {
          boolean visible = type.getModifiers().contains(JavaModifier.PUBLIC);
          return visible && type.getEnclosingClass().map(isPublic()::test).orElse(true);
        });
  }

  private static ArchCondition<JavaClass> notMention(String packageName) {
    return new ArchCondition<>("not mention " + packageName + " in what a user sees") {
      @Override
      public void check(JavaClass type, ConditionEvents events) {
        List<JavaClass> mentioned = new ArrayList<>(type.getRawInterfaces());
        type.getRawSuperclass().ifPresent(mentioned::add);
        type.getMembers().stream()
            .filter(ArchitectureTest::isVisible)
            .forEach(member -> mentioned.addAll(typesOf(member)));
        mentioned.stream()
            .filter(seen -> seen.getBaseComponentType().getPackageName().startsWith(packageName))
            .forEach(
                seen ->
                    events.add(
                        SimpleConditionEvent.violated(
                            type, type.getName() + " mentions " + seen.getName())));
      }
    };
  }

  private static boolean isVisible(JavaMember member) {
    return member.getModifiers().contains(JavaModifier.PUBLIC)
        || member.getModifiers().contains(JavaModifier.PROTECTED);
  }

  private static List<JavaClass> typesOf(JavaMember member) {
    if (member instanceof JavaField field) {
      return List.of(field.getRawType());
    }
    JavaCodeUnit code = (JavaCodeUnit) member;
    List<JavaClass> types = new ArrayList<>(code.getRawParameterTypes());
    types.add(code.getRawReturnType());
    return types;
  }
}
