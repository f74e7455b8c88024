package io.outbox;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.GeneralCodingRules.NO_CLASSES_SHOULD_ACCESS_STANDARD_STREAMS;

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
import org.junit.jupiter.api.Test;

class ArchitectureTest {

  private static final String INTERNAL = "io.outbox.internal";

  /** Its methods are those of the poller's internal interface; users only construct it. */
  private static final String POLLER_HANDLER = "io.outbox.dispatch.DispatcherPollerHandler";

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
        .resideInAnyPackage("io.outbox.model", "io.outbox.spi")
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
            .filter(seen -> seen.getBaseComponentType().getPackageName().equals(packageName))
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
