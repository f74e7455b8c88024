package io.outbox.micronaut;

import io.micronaut.context.exceptions.ConfigurationException;
import java.util.function.Consumer;

/** Says why the application cannot start as it is configured, and what to change. */
final class Problem {

  private Problem() {}

  static ConfigurationException of(String problem, String action) {
    return new ConfigurationException(problem + " " + action);
  }

  static ConfigurationException of(String problem, String action, Throwable cause) {
    return new ConfigurationException(problem + " " + action, cause);
  }

  static ConfigurationException invalid(String property, IllegalArgumentException e) {
    return of(
        "The property outbox." + property + " cannot be used: " + e.getMessage() + ".",
        "Correct its value.",
        e);
  }

  /** Applies a property; what is not set keeps the builder's default. */
  static <T> void set(String property, T value, Consumer<T> setter) {
    if (value != null && !(value instanceof String text && text.isBlank())) {
      try {
        setter.accept(value);
      } catch (IllegalArgumentException e) {
        throw invalid(property, e);
      }
    }
  }
}
