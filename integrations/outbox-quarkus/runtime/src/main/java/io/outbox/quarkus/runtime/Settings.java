package io.outbox.quarkus.runtime;

import io.quarkus.runtime.configuration.ConfigurationException;
import java.util.Locale;
import java.util.Set;

/** Refusals of settings, with the key that Quarkus shows. */
final class Settings {

  private static final String PREFIX = "quarkus.outbox.";

  private Settings() {}

  static ConfigurationException invalid(String name, IllegalArgumentException e) {
    String key = PREFIX + name;
    return new ConfigurationException(
        key + " cannot be used: " + e.getMessage() + ". Correct its value.", e, Set.of(key));
  }

  static ConfigurationException refused(String name, String message) {
    return new ConfigurationException(message, Set.of(PREFIX + name));
  }

  static ConfigurationException refused(String name, String message, Throwable cause) {
    return new ConfigurationException(message, cause, Set.of(PREFIX + name));
  }

  static String kebab(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
