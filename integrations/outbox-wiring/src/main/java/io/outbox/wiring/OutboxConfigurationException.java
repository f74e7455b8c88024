package io.outbox.wiring;

import java.util.Objects;

/** The application cannot start as it is configured; says what is wrong and what to change. */
public final class OutboxConfigurationException extends IllegalStateException {

  private static final long serialVersionUID = 1L;

  private final String problem;
  private final String action;

  /** Without a cause. */
  public OutboxConfigurationException(String problem, String action) {
    this(problem, action, null);
  }

  /**
   * With both in the message.
   *
   * @param cause null for none
   */
  public OutboxConfigurationException(String problem, String action, Throwable cause) {
    super(
        Objects.requireNonNull(problem, "problem") + " " + Objects.requireNonNull(action, "action"),
        cause);
    this.problem = problem;
    this.action = action;
  }

  /** What is wrong. */
  public String problem() {
    return problem;
  }

  /** What to do about it. */
  public String action() {
    return action;
  }
}
