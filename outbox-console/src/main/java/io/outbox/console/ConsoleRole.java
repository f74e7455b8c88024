package io.outbox.console;

/** What a user of the console may do. */
public enum ConsoleRole {
  /** Look at everything. */
  READ_ONLY,
  /** Look, and act on events and delivery. */
  OPERATOR
}
