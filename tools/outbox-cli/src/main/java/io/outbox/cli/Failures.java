package io.outbox.cli;

import io.outbox.cli.connect.ConnectionProblem;
import io.outbox.cli.connect.JdbcUrl;
import io.outbox.cli.output.Printable;

/** What is said when something failed: one line, without secrets, harmless on a terminal. */
final class Failures {

  private Failures() {}

  static String message(Throwable failure) {
    Throwable told = failure;
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof ConnectionProblem) {
        told = cause;
      }
    }
    String message =
        told.getMessage() == null ? told.getClass().getSimpleName() : told.getMessage();
    return Printable.line(JdbcUrl.redact(message.strip()));
  }
}
