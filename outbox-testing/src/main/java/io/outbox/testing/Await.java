package io.outbox.testing;

import io.outbox.model.OutboxEvent;
import io.outbox.spi.ConnectionProvider;
import io.outbox.spi.OutboxStore;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/** Waits for a condition, and says what is missing if it does not come. */
public final class Await {

  private static final long PAUSE_NANOS = 1_000_000;
  private static final int SHOWN = 20;
  private static final Duration FAR = Duration.ofDays(365 * 50);

  private Await() {}

  /**
   * Waits until {@code condition} holds.
   *
   * @param what for the message, as in "waited for …"
   * @throws AssertionError if it does not hold within {@code bound}
   */
  public static void until(String what, Duration bound, BooleanSupplier condition) {
    Objects.requireNonNull(what, "what");
    until(() -> what, bound, condition);
  }

  /**
   * Waits until {@code condition} holds, and says how things are if it does not.
   *
   * @param what asked when the time is over, as in "waited for …"
   * @throws AssertionError if it does not hold within {@code bound}
   */
  public static void until(Supplier<String> what, Duration bound, BooleanSupplier condition) {
    Objects.requireNonNull(what, "what");
    Objects.requireNonNull(condition, "condition");
    long deadline = System.nanoTime() + Objects.requireNonNull(bound, "bound").toNanos();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - deadline > 0) {
        throw new AssertionError("waited " + bound + " for " + what.get());
      }
      LockSupport.parkNanos(PAUSE_NANOS);
      if (Thread.interrupted()) {
        Thread.currentThread().interrupt();
        throw new AssertionError("interrupted while waiting for " + what.get());
      }
    }
  }

  /**
   * Waits until no event is due: everything due was delivered and its outcome is committed.
   *
   * @throws AssertionError if there still are some after {@code bound}, saying which
   */
  public static void idle(OutboxStore store, ConnectionProvider connections, Duration bound) {
    Objects.requireNonNull(store, "store");
    Objects.requireNonNull(connections, "connections");
    nothingPending(bound, () -> pending(store, connections, Duration.ZERO));
  }

  /**
   * Waits until no event is pending, whenever it is due: all are DONE or DEAD.
   *
   * @throws AssertionError if there still are some after {@code bound}, saying which
   */
  public static void finished(OutboxStore store, ConnectionProvider connections, Duration bound) {
    Objects.requireNonNull(store, "store");
    Objects.requireNonNull(connections, "connections");
    nothingPending(bound, () -> pending(store, connections, FAR));
  }

  /** Like {@link #idle(OutboxStore, ConnectionProvider, Duration)}, not bothered by faults. */
  public static void idle(InMemoryOutboxStore store, Duration bound) {
    Objects.requireNonNull(store, "store");
    nothingPending(
        bound,
        () -> {
          Instant now = store.database().clock().instant();
          return store.pendingEvents().stream()
              .filter(event -> !event.availableAt().isAfter(now))
              .toList();
        });
  }

  /** Like {@link #finished(OutboxStore, ConnectionProvider, Duration)}, not bothered by faults. */
  public static void finished(InMemoryOutboxStore store, Duration bound) {
    nothingPending(bound, Objects.requireNonNull(store, "store")::pendingEvents);
  }

  private static void nothingPending(Duration bound, PendingEvents pending) {
    Object[] last = {"nothing was read"};
    until(
        () -> "the outbox to be idle, but still pending: " + last[0],
        bound,
        () -> {
          try {
            List<OutboxEvent> events = pending.read();
            last[0] = describe(events);
            return events.isEmpty();
          } catch (SQLException | RuntimeException e) {
            last[0] = "unknown, the store cannot be read: " + e;
            return false;
          }
        });
  }

  private static List<OutboxEvent> pending(
      OutboxStore store, ConnectionProvider connections, Duration ahead) throws SQLException {
    try (Connection conn = connections.getConnection()) {
      Instant now = store.currentTime(conn).orElseGet(Instant::now);
      List<OutboxEvent> events = store.pollPending(conn, now.plus(ahead), Duration.ZERO, SHOWN + 1);
      if (!conn.getAutoCommit()) {
        conn.rollback();
      }
      return events;
    }
  }

  private static String describe(List<OutboxEvent> events) {
    String shown =
        events.stream().limit(SHOWN).map(Await::describe).collect(Collectors.joining("; "));
    return events.size() > SHOWN ? shown + "; and more" : shown;
  }

  private static String describe(OutboxEvent event) {
    return event.eventType()
        + " "
        + event.eventId()
        + " "
        + event.status()
        + ", attempts "
        + event.attempts()
        + ", available at "
        + event.availableAt()
        + (event.lease() == null ? ", not leased" : ", leased to " + event.lease().owner())
        + (event.lastError() == null ? "" : ", last error: " + event.lastError());
  }

  private interface PendingEvents {
    List<OutboxEvent> read() throws SQLException;
  }
}
