package io.outbox.internal.subscribe;

import io.outbox.OutageException;
import io.outbox.internal.RepeatedWarning;
import io.outbox.internal.store.StoreFailures;
import io.outbox.internal.store.StoreSession;
import io.outbox.internal.time.EngineThread;
import io.outbox.model.EventRoute;
import io.outbox.spi.SubscriptionStore;
import io.outbox.subscription.Subscription;
import java.lang.System.Logger.Level;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * The routes that have stored subscriptions, as a thread reads them every few seconds: no event
 * needs a look at the database. What cannot be read does not change. Thread-safe.
 */
final class StoredRoutes implements AutoCloseable {

  private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(5);
  private static final long FAILED_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final StoreSession session;
  private final SubscriptionStore store;
  private final RepeatedWarning warning = new RepeatedWarning(StoredRoutes.class, Level.WARNING);
  private final EngineThread thread;
  private boolean installed; // for the thread alone
  private volatile Set<EventRoute> expanded; // null: not known yet
  private volatile Map<EventRoute, Instant> ends = Map.of(); // by the route of the copies

  StoredRoutes(StoreSession session, SubscriptionStore store) {
    this.session = session;
    this.store = store;
    this.thread =
        new EngineThread("outbox-subscriptions-", "subscriptions cannot be read", this::run);
  }

  /** Returns when they are known, or after a bounded time. */
  void start() {
    thread.startAndWait();
  }

  private long run() {
    try {
      look();
      return LOOK_NANOS;
    } catch (RuntimeException e) {
      installed = false; // to be looked for again
      warning.log(() -> "stored subscriptions cannot be read; what was read last stays", e);
      if (expanded == null && isDenied(e)) {
        seen(List.of()); // who may not read them has none, and its listeners go on
      }
      return FAILED_NANOS;
    } finally {
      if (expanded != null) {
        thread.answered();
      }
    }
  }

  /** Access rule violations of all databases, and H2's missing right; nothing that may pass. */
  private static boolean isDenied(Throwable failure) {
    SQLException cause = StoreFailures.sqlCauseOf(failure);
    return cause != null
        && (cause.getSQLState().startsWith("42") || cause.getSQLState().equals("90096"));
  }

  private void look() {
    List<Subscription> all =
        session.read(
            conn -> {
              installed = installed || store.isInstalled(conn);
              return installed ? store.list(conn) : List.<Subscription>of();
            });
    Map<EventRoute, Instant> ended = new HashMap<>();
    all.stream()
        .filter(one -> !one.isActive())
        .forEach(
            one -> ended.put(new EventRoute(one.copyType(), one.route().eventType()), one.until()));
    ends = ended;
    seen(all.stream().filter(Subscription::isActive).toList());
  }

  /** These are the active ones, as somebody has just read. */
  void seen(Collection<Subscription> active) {
    expanded = active.stream().map(Subscription::route).collect(Collectors.toUnmodifiableSet());
  }

  /**
   * To be called before an event is delivered.
   *
   * @throws OutageException if they were never read
   */
  void requireKnown() {
    if (expanded == null) {
      throw new OutageException("it is not known yet which events have subscriptions");
    }
  }

  /** Whether events of this route get copies, as far as is known. May be seconds old. */
  boolean areExpanded(String aggregateType, String eventType) {
    Set<EventRoute> known = expanded;
    return known != null
        && !known.isEmpty()
        && known.contains(new EventRoute(aggregateType, eventType));
  }

  /** When a subscription was ended; null if it was not, or is not known. May be seconds old. */
  Instant endOf(EventRoute ofCopies) {
    return ends.get(ofCopies);
  }

  @Override
  public void close() {
    thread.close();
  }
}
