package io.outbox.cli.doctor;

import java.util.Objects;

/**
 * What a check found.
 *
 * @param says the fact
 * @param means why that matters; null if all is well
 * @param todo a command or SQL; null if there is nothing to do
 */
public record Finding(Level level, String check, String says, String means, String todo) {

  /** How bad it is. */
  public enum Level {
    OK,
    /** Worth a look; delivery goes on. */
    WARNING,
    /** Delivery fails, or gets slow as the table grows. */
    PROBLEM
  }

  public Finding {
    Objects.requireNonNull(level, "level");
    Objects.requireNonNull(check, "check");
    Objects.requireNonNull(says, "says");
  }

  static Finding ok(String check, String says) {
    return new Finding(Level.OK, check, says, null, null);
  }

  static Finding warning(String check, String says, String means, String todo) {
    return new Finding(Level.WARNING, check, says, means, todo);
  }

  static Finding problem(String check, String says, String means, String todo) {
    return new Finding(Level.PROBLEM, check, says, means, todo);
  }
}
