package io.outbox.spring.boot.wiring;

/** The application cannot start as it is configured; says what is wrong and what to change. */
public final class OutboxConfigurationException extends IllegalStateException {

  private static final long serialVersionUID = 1L;

  private final String action;

  public OutboxConfigurationException(String problem, String action) {
    this(problem, action, null);
  }

  public OutboxConfigurationException(String problem, String action, Throwable cause) {
    super(problem, cause);
    this.action = action;
  }

  String action() {
    return action;
  }
}
