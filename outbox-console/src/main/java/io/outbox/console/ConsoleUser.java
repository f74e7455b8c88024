package io.outbox.console;

import java.util.Objects;

/**
 * Who uses the console.
 *
 * @param name kept in the audit with what they do
 */
public record ConsoleUser(String name, ConsoleRole role) {

  public ConsoleUser {
    Objects.requireNonNull(role, "role");
    if (Objects.requireNonNull(name, "name").isBlank()) {
      throw new IllegalArgumentException("the name of a user must not be blank");
    }
  }
}
