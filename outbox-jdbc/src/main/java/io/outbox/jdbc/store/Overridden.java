package io.outbox.jdbc.store;

import io.outbox.EventEnvelope;
import io.outbox.spi.PendingQuery;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/**
 * Which methods of the specification a subclass has overridden. The engine has its own methods that
 * do the same for many events at once; where a subclass has its say, they go through its methods,
 * one event at a time and without leases. Not if the subclass has the method for many, too: it
 * knows what the engine calls.
 *
 * @param inserts {@code insertNew}
 * @param insertsMany {@code insertAll}
 * @param marks one of {@code markDone}, {@code markRetry}, {@code markDead}, {@code markDeferred}
 * @param polls {@code pollPending} or {@code claimPending}
 * @param outcomes {@code recordOutcomes}
 */
record Overridden(
    boolean inserts, boolean insertsMany, boolean marks, boolean polls, boolean outcomes) {

  private static final Class<?> ID = String.class;

  static Overridden by(Class<? extends AbstractJdbcOutboxStore> type) {
    if (AbstractJdbcOutboxStore.class.getPackage().equals(type.getPackage())) {
      return new Overridden(false, false, false, false, false);
    }
    boolean insertsMany = has(type, "insertAll", List.class);
    boolean outcomes = has(type, "recordOutcomes", List.class);
    boolean marks =
        has(type, "markDone", ID)
            || has(type, "markRetry", ID, Instant.class, String.class)
            || has(type, "markDead", ID, String.class)
            || has(type, "markDeferred", ID, Instant.class);
    boolean polls =
        has(type, "pollPending", Instant.class, Duration.class, int.class)
            || has(
                type,
                "claimPending",
                String.class,
                Instant.class,
                Instant.class,
                Duration.class,
                int.class);
    return new Overridden(
        has(type, "insertNew", EventEnvelope.class) && !insertsMany,
        insertsMany,
        marks && !outcomes,
        polls && !has(type, "fetchPending", PendingQuery.class),
        outcomes);
  }

  /** Each method takes a connection first. */
  private static boolean has(
      Class<? extends AbstractJdbcOutboxStore> type, String name, Class<?>... params) {
    Class<?>[] all = new Class<?>[params.length + 1];
    all[0] = Connection.class;
    System.arraycopy(params, 0, all, 1, params.length);
    try {
      return type.getMethod(name, all).getDeclaringClass() != AbstractJdbcOutboxStore.class;
    } catch (NoSuchMethodException e) {
      throw new IllegalStateException(type + " has no method " + name, e);
    }
  }

  /** Whether an event is written, read and finished with its lease. */
  boolean keepLeases() {
    return !inserts && !marks && !polls;
  }

  /**
   * Whether an event may be inserted as finished: nobody wants to see its insert or its outcome.
   */
  boolean insertFinished() {
    return keepLeases() && !insertsMany && !outcomes;
  }
}
