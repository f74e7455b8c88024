package io.outbox.annotation.support;

import java.util.Objects;

/** A declared listener cannot be one; says what is wrong and what to change. */
public final class InvalidListenerException extends IllegalStateException {

  private static final long serialVersionUID = 1L;

  private final String problem;
  private final String action;

  InvalidListenerException(String problem, String action) {
    this(problem, action, null);
  }

  InvalidListenerException(String problem, String action, Throwable cause) {
    super(Objects.requireNonNull(problem) + " " + Objects.requireNonNull(action), cause);
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
