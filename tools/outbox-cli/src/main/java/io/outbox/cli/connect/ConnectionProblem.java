package io.outbox.cli.connect;

/** The database cannot be reached as asked; the message says what to do. */
public final class ConnectionProblem extends RuntimeException {
  private static final long serialVersionUID = 1L;

  ConnectionProblem(String message) {
    super(message);
  }

  ConnectionProblem(String message, Throwable cause) {
    super(message, cause);
  }
}
