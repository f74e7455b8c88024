package io.outbox.spring.boot;

/** The application cannot start as it is configured; says what is wrong and what to change. */
final class OutboxConfigurationException extends IllegalStateException {

  private static final long serialVersionUID = 1L;

  private final String action;

  OutboxConfigurationException(String problem, String action) {
    this(problem, action, null);
  }

  OutboxConfigurationException(String problem, String action, Throwable cause) {
    super(problem, cause);
    this.action = action;
  }

  String action() {
    return action;
  }
}
