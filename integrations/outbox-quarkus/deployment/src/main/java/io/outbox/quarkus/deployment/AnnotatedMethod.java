package io.outbox.quarkus.deployment;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jboss.jandex.AnnotationInstance;
import org.jboss.jandex.AnnotationValue;
import org.jboss.jandex.ClassInfo;
import org.jboss.jandex.DotName;
import org.jboss.jandex.IndexView;
import org.jboss.jandex.MethodInfo;

/**
 * A method of a bean that is annotated, or whose class is.
 *
 * @param where what is annotated, for messages
 */
record AnnotatedMethod(MethodInfo method, AnnotationInstance annotation, String where) {

  private static final String ON_EVENT = "onEvent";

  /**
   * Those of one class, inherited ones included.
   *
   * @throws IllegalArgumentException if an annotation is in a place where it means nothing
   */
  static List<AnnotatedMethod> of(ClassInfo type, IndexView index) {
    List<AnnotatedMethod> found = new ArrayList<>();
    AnnotationInstance ofClass = type.declaredAnnotation(Names.OUTBOX_LISTENER);
    if (ofClass != null) {
      found.add(new AnnotatedMethod(onEvent(type, index), ofClass, "bean " + type.name()));
    }
    Set<String> seen = new HashSet<>();
    for (ClassInfo each : lineage(type, index)) {
      for (MethodInfo method : each.methods()) {
        AnnotationInstance annotation = method.declaredAnnotation(Names.OUTBOX_LISTENER);
        boolean isOverridden = !seen.add(method.name() + method.parameterTypes());
        if (annotation != null && !isOverridden && !method.isSynthetic()) {
          String where = "method " + method.name() + " of bean " + type.name();
          found.add(new AnnotatedMethod(method, annotation, where));
        }
      }
    }
    refuseBoth(type, index, found);
    return found;
  }

  /** The class and those of its superclasses that are known. */
  private static List<ClassInfo> lineage(ClassInfo type, IndexView index) {
    List<ClassInfo> classes = new ArrayList<>();
    for (ClassInfo each = type; each != null; ) {
      classes.add(each);
      DotName parent = each.superName();
      each =
          parent == null || parent.equals(DotName.OBJECT_NAME)
              ? null
              : index.getClassByName(parent);
    }
    return classes;
  }

  private static void refuseBoth(ClassInfo type, IndexView index, List<AnnotatedMethod> found) {
    boolean isBound =
        lineage(type, index).stream().anyMatch(c -> c.name().equals(Names.BOUND_EVENT_LISTENER));
    if (isBound && !found.isEmpty()) {
      throw new IllegalArgumentException(
          "The bean "
              + type.name()
              + " is a BoundEventListener and has an @OutboxListener too. Remove the annotation, or"
              + " implement EventListener instead.");
    }
  }

  private static MethodInfo onEvent(ClassInfo type, IndexView index) {
    for (ClassInfo each : lineage(type, index)) {
      for (MethodInfo method : each.methods()) {
        if (method.name().equals(ON_EVENT)
            && !method.isSynthetic()
            && method.parametersCount() == 1
            && method.parameterType(0).name().equals(Names.ENVELOPE)) {
          return method;
        }
      }
    }
    throw new IllegalArgumentException(
        "The bean "
            + type.name()
            + " has an @OutboxListener but does not implement io.outbox.EventListener. Implement"
            + " EventListener or AsyncEventListener, or put the annotation on a method of the"
            + " class.");
  }

  /** Event type, aggregate type, subscription, and the classes of the types; empty for none. */
  List<String> address() {
    String named = text("eventType");
    String value = text("value");
    if (!named.isBlank() && !value.isBlank() && !named.equals(value)) {
      throw new IllegalArgumentException(
          "The @OutboxListener on "
              + where
              + " has two event types, '"
              + value
              + "' and '"
              + named
              + "'. Remove one of them: value is short for eventType.");
    }
    String eventType = named.isBlank() ? value : named;
    String eventTypeClass = className("eventTypeClass", Names.EVENT_TYPE);
    if (eventType.isBlank() && eventTypeClass.isEmpty()) {
      throw new IllegalArgumentException(
          "The @OutboxListener on "
              + where
              + " has no event type. Name one, as in"
              + " @OutboxListener(\"OrderPlaced\").");
    }
    return List.of(
        eventType,
        text("aggregateType"),
        text("subscription"),
        eventTypeClass,
        className("aggregateTypeClass", Names.AGGREGATE_TYPE));
  }

  private String text(String name) {
    AnnotationValue value = annotation.value(name);
    return value == null ? "" : value.asString();
  }

  private String className(String name, DotName none) {
    AnnotationValue value = annotation.value(name);
    return value == null || value.asClass().name().equals(none)
        ? ""
        : value.asClass().name().toString();
  }
}
