package io.outbox.cli.command;

import io.outbox.cli.connect.ConnectionProblem;
import io.outbox.cli.connect.JdbcUrl;
import io.outbox.util.Printable;

/** What is said when something failed: one line, without secrets, harmless on a terminal. */
public final class Failures {

  private Failures() {}

  public static String message(Throwable failure) {
    Throwable told = failure;
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof ConnectionProblem) {
        told = cause;
      }
    }
    String message =
        told.getMessage() == null ? told.getClass().getSimpleName() : told.getMessage();
    return Printable.line(JdbcUrl.redact(forTheShell(message.strip())));
  }

  /** The library tells those who write Java how to make a table right; here there are commands. */
  private static String forTheShell(String message) {
    int advice = message.indexOf(" The DDL is ");
    return advice < 0 || !message.contains("OutboxSchema.")
        ? message
        : message.substring(0, advice)
            + " Is --table right? outbox schema validate lists missing parts;"
            + " outbox schema migrate adds it.";
  }
}
