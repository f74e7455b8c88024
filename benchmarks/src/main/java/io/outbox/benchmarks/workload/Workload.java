package io.outbox.benchmarks.workload;

import io.outbox.benchmarks.contestant.Entry;
import java.util.Locale;

/** What contestants are asked to do. */
public enum Workload {
  DRAIN("Drain", "waiting events delivered and finished"),
  STEADY("Steady", "4 writers, one event and one business row per transaction, beside delivery"),
  LATENCY("Commit to listener", "200 events/s, open loop, milliseconds"),
  GROWTH("Growth, finished rows", "the drain in a table of many finished events"),
  PAUSED(
      "Beside a paused listener",
      "the drain behind 100,000 older events of a paused listener, each with its own key"),
  HELD(
      "Growth, a transaction held open",
      "the drain after a time of 500 events/s, a transaction open all the while"),
  BATCH(
      "Batch write",
      "100 events per transaction, one writer, no delivery where that can be switched off"),
  SLOW("Slow listener", "a listener of 5 ms, 64 in flight"),
  MEMORY("Memory, small events", "the drain of 1 KB events in a heap of 128 MB"),
  MEMORY_LARGE("Memory, large events", "the drain of 1 MiB events in a heap of 128 MB");

  private final String title;
  private final String description;

  Workload(String title, String description) {
    this.title = title;
    this.description = description;
  }

  /** For tables. */
  public String title() {
    return title;
  }

  /** In a few words. */
  public String description() {
    return description;
  }

  /** For the command line. */
  public String key() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** Whether it asks how much memory is enough; not run unless chosen. */
  public boolean isMemory() {
    return this == MEMORY || this == MEMORY_LARGE;
  }

  /**
   * Whether this contestant is asked. Libraries at their defaults show how they start out, not how
   * they grow; one worker says nothing about many listeners; to answer later is of use if that
   * takes time.
   */
  public boolean isFor(Entry contestant) {
    if (contestant.isAsync()) {
      return this == SLOW;
    }
    return switch (this) {
      case DRAIN, STEADY, LATENCY -> true;
      case GROWTH -> contestant.keepsFinished();
      case PAUSED -> contestant.canPause();
      case HELD, MEMORY, MEMORY_LARGE -> !contestant.isDefaults();
      case BATCH -> !contestant.isDefaults() && !contestant.isOrdered();
      case SLOW -> !contestant.isDefaults() && !contestant.isOrdered() && contestant != Entry.LEAN;
    };
  }

  /** How many listeners shall run at the same time; 0 leaves it to the contestant. */
  int inFlight() {
    return this == SLOW ? 64 : 0;
  }
}
