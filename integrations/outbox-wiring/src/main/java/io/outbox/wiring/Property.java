package io.outbox.wiring;

import java.util.Objects;
import java.util.function.Consumer;

/** Applies single properties, and names those that cannot be applied. */
public final class Property {

  private Property() {}

  /**
   * Applies a property, if it is set.
   *
   * @param value null or a blank text if it is not set
   * @throws OutboxConfigurationException if the setter refuses it
   */
  public static <T> void set(String property, T value, Consumer<T> setter) {
    Objects.requireNonNull(property, "property");
    Objects.requireNonNull(setter, "setter");
    if (value != null && !(value instanceof String text && text.isBlank())) {
      applying(property, () -> setter.accept(value));
    }
  }

  /**
   * Does what a property says.
   *
   * @throws OutboxConfigurationException if that is refused
   */
  public static void applying(String property, Runnable setting) {
    Objects.requireNonNull(property, "property");
    Objects.requireNonNull(setting, "setting");
    try {
      setting.run();
    } catch (IllegalArgumentException e) {
      throw invalid(property, e);
    }
  }

  /** The value of a property was refused. */
  public static OutboxConfigurationException invalid(String property, IllegalArgumentException e) {
    Objects.requireNonNull(property, "property");
    Objects.requireNonNull(e, "e");
    return new OutboxConfigurationException(
        "The property " + property + " cannot be used: " + e.getMessage() + ".",
        "Correct the value of " + property + ".",
        e);
  }
}
