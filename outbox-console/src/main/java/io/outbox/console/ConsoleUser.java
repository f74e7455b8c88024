package io.outbox.console;

import java.util.Objects;

/**
 * A user of the console.
 *
 * @param name shown in the audit
 */
public record ConsoleUser(String name, ConsoleRole role) {

  public ConsoleUser {
    Objects.requireNonNull(role, "role");
    if (Objects.requireNonNull(name, "name").isBlank()) {
      throw new IllegalArgumentException("the name of a user must not be blank");
    }
  }
}
