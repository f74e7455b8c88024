package io.outbox.wiring.listener;

import io.outbox.wiring.OutboxConfigurationException;
import java.util.Arrays;
import java.util.function.Function;

/** Reads a name that an annotation gives by a string or by a class; the fields are for messages. */
record TypeName(String where, String what) {

  /** The one that has text; blank if none has. */
  static String either(String where, String value, String named) {
    if (!value.isBlank() && !named.isBlank() && !value.equals(named)) {
      throw new OutboxConfigurationException(
          "The @OutboxListener on "
              + where
              + " has two event types, '"
              + value
              + "' and '"
              + named
              + "'.",
          "Remove one of them: value is short for eventType.");
    }
    return value.isBlank() ? named : value;
  }

  /** Null if neither a name nor a class is given. */
  <T> String of(String given, Class<? extends T> type, Class<T> none, Function<T, String> nameOf) {
    String text = given.isBlank() ? null : given;
    if (type == none) {
      return text;
    }
    if (type.isEnum()) {
      return constant(text, type, nameOf);
    }
    String name = nameOf.apply(instance(type));
    if (name == null || name.isBlank()) {
      throw new OutboxConfigurationException(
          problem(type) + ", whose name() is blank.", "Let name() return the " + what + ".");
    }
    if (text != null && !text.equals(name)) {
      throw new OutboxConfigurationException(
          problem(type) + ", which is '" + name + "', and by the string '" + text + "'.",
          "Remove one of the two.");
    }
    return name;
  }

  private String problem(Class<?> type) {
    return "The @OutboxListener on " + where + " names its " + what + " by " + type.getName();
  }

  private <T> String constant(String text, Class<? extends T> type, Function<T, String> nameOf) {
    T[] constants = type.getEnumConstants();
    if (text == null && constants.length == 1) {
      return nameOf.apply(constants[0]);
    }
    for (T constant : constants) {
      if (((Enum<?>) constant).name().equals(text)) {
        return nameOf.apply(constant);
      }
    }
    String names =
        String.join(
            ", ", Arrays.stream(constants).map(constant -> ((Enum<?>) constant).name()).toList());
    throw new OutboxConfigurationException(
        problem(type)
            + (text == null ? ", but not which constant." : ", which has no " + text + "."),
        "Name a constant of the enum beside it, one of: " + names + ".");
  }

  private <T> T instance(Class<? extends T> type) {
    try {
      var constructor = type.getDeclaredConstructor();
      constructor.setAccessible(true);
      return constructor.newInstance();
    } catch (ReflectiveOperationException | RuntimeException e) {
      throw new OutboxConfigurationException(
          problem(type) + ", which cannot be instantiated: " + e + ".",
          "Give it a constructor without parameters, or name the type by a string.",
          e);
    }
  }
}
