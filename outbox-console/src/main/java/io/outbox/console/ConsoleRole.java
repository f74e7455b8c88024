package io.outbox.console;

/** The rights of a console user. */
public enum ConsoleRole {
  /** Look at everything. */
  READ_ONLY,
  /** Look, and act on events and delivery. */
  OPERATOR
}
