package io.outbox.relay;

import java.util.logging.Level;

/** The setting {@code log-level}. */
enum LogLevel {
  ERROR(Level.SEVERE, Level.SEVERE),
  WARNING(Level.WARNING, Level.WARNING),
  INFO(Level.INFO, Level.WARNING),
  DEBUG(Level.FINE, Level.INFO),
  TRACE(Level.ALL, Level.ALL);

  private final Level ours;
  private final Level others;

  LogLevel(Level ours, Level others) {
    this.ours = ours;
    this.others = others;
  }

  /** Of what this project logs. */
  Level ours() {
    return ours;
  }

  /** Of the clients of brokers and databases, who say much. */
  Level others() {
    return others;
  }
}
