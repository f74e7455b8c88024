package io.outbox.internal.signals;

import io.outbox.internal.Conditions;
import io.outbox.internal.store.StoreSession;
import io.outbox.internal.time.EngineThread;
import io.outbox.model.EventKey;
import io.outbox.operate.Condition.Kind;
import io.outbox.spi.ConnectionProvider;
import io.outbox.spi.lanes.KeySignals;
import io.outbox.util.PrintableLogger;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * Hears what other nodes tell, on a connection that it keeps while there are other nodes, and makes
 * sure that it does: it tells itself something when it begins, and every ten seconds. A connection
 * that is half open, or that a pooler shares between transactions, hears nothing and says nothing.
 * Thread-safe.
 */
public final class KeySignalReceiver {

  private static final Logger LOG = PrintableLogger.of(KeySignalReceiver.class);

  /** Begins the name of a key that no event has, but that a node tells itself. */
  private static final String SELF = "outbox-hears-itself:";

  private static final long CHECK_NANOS = TimeUnit.SECONDS.toNanos(10);
  private static final long ANSWER_NANOS = TimeUnit.SECONDS.toNanos(3);
  private static final int STATEMENT_MILLIS = 3000;
  private static final Duration WAIT = Duration.ofMillis(200);
  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(200);
  private static final long REPLACE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
  private static final long AGAIN_NANOS = TimeUnit.SECONDS.toNanos(10);
  private static final long MAX_AGAIN_NANOS = TimeUnit.MINUTES.toNanos(10);

  private final StoreSession session;
  private final ConnectionProvider connections;
  private final KeySignals signals;
  private final BooleanSupplier isNeeded;
  private final Consumer<Optional<Set<EventKey>>> heard;
  private final Conditions conditions;
  private final EventKey self = EventKey.named(SELF + UUID.randomUUID());
  private final SpareConnections spare;
  private final EngineThread thread;
  private volatile boolean hears;
  private volatile long provenNanos;

  // For the thread alone.
  private long askedNanos;
  private boolean asked; // and not answered
  private long againNanos = AGAIN_NANOS;
  private long nextTryNanos = System.nanoTime();

  /**
   * @param isNeeded whether there are other nodes
   * @param heard told which keys there is something for; empty if any
   */
  KeySignalReceiver(
      StoreSession session,
      ConnectionProvider connections,
      KeySignals signals,
      BooleanSupplier isNeeded,
      Consumer<Optional<Set<EventKey>>> heard,
      Conditions conditions) {
    this.session = session;
    this.connections = connections;
    this.signals = signals;
    this.isNeeded = isNeeded;
    this.heard = heard;
    this.conditions = conditions;
    this.spare = new SpareConnections(connections);
    this.thread = new EngineThread("outbox-listen-", "other nodes cannot be heard", this::run);
  }

  void start() {
    thread.start();
  }

  void close() {
    thread.close();
  }

  /** Waits until the connection is given back, after {@link #close}. */
  void join(long nanos) throws InterruptedException {
    thread.join(nanos);
  }

  /** Whether it has lately heard itself. */
  boolean isHearing() {
    return hears && System.nanoTime() - provenNanos < CHECK_NANOS + ANSWER_NANOS;
  }

  private long run() throws InterruptedException {
    if (!isNeeded.getAsBoolean()) {
      conditions.clear(Kind.NO_NOTIFICATIONS);
    } else if (System.nanoTime() - nextTryNanos >= 0) {
      nextTryNanos = hear() + System.nanoTime();
    }
    return LOOK_NANOS;
  }

  /** Returns how long to wait before the next try. */
  private long hear() throws InterruptedException {
    try (Connection conn = connections.getConnection()) {
      if (!spare.areThere()) {
        throw new SQLException(
            "the connection pool has no two connections to spare beside the one for LISTEN; make it"
                + " larger");
      }
      hearOn(conn);
      return 0;
    } catch (SQLException | RuntimeException | LinkageError e) {
      if (hears) {
        LOG.log(Level.INFO, () -> "the connection that hears other nodes is replaced: " + e);
        return REPLACE_NANOS;
      }
      return failed(e);
    } finally {
      hears = false;
    }
  }

  private long failed(Throwable e) {
    LOG.log(Level.DEBUG, "notifications of other nodes do not arrive", e);
    conditions.raise(
        Kind.NO_NOTIFICATIONS,
        "notifications of other nodes do not arrive, so this node looks for new events ten times a"
            + " second: "
            + e.getMessage());
    long again = againNanos;
    againNanos = Math.min(2 * again, MAX_AGAIN_NANOS);
    return again;
  }

  /** Until it is not needed any more; throws if the connection is of no use. */
  private void hearOn(Connection conn) throws SQLException {
    boolean autoCommit = conn.getAutoCommit();
    int timeout = conn.getNetworkTimeout();
    conn.setNetworkTimeout(Runnable::run, STATEMENT_MILLIS);
    conn.setAutoCommit(true);
    try {
      signals.listen(conn);
      ask();
      while (!thread.isClosed() && isNeeded.getAsBoolean()) {
        receive(conn);
        check();
      }
    } finally {
      // Also if it is broken: a pool learns that from statements, not from who only listens.
      signals.stopListening(conn);
      conn.setAutoCommit(autoCommit);
      conn.setNetworkTimeout(Runnable::run, timeout);
    }
  }

  /** On another connection: a pooler may let one hear what it said itself. */
  private void ask() {
    asked = true;
    askedNanos = System.nanoTime();
    session.lockingNothing(
        conn -> {
          signals.send(conn, List.of(self));
          return null;
        });
  }

  private void receive(Connection conn) throws SQLException {
    Optional<Set<EventKey>> told = signals.receive(conn, WAIT);
    if (told.isEmpty() || told.get().contains(self)) {
      proven();
    }
    Optional<Set<EventKey>> news = told.map(KeySignalReceiver::withoutChecks);
    if (news.isEmpty() || !news.get().isEmpty()) {
      heard.accept(news);
    }
  }

  private static Set<EventKey> withoutChecks(Set<EventKey> keys) {
    Set<EventKey> news = new HashSet<>(keys);
    news.removeIf(key -> key.name().startsWith(SELF));
    return news;
  }

  private void proven() {
    asked = false;
    provenNanos = System.nanoTime();
    if (!hears) {
      hears = true;
      heard.accept(Optional.empty()); // whatever was told before
      conditions.clear(Kind.NO_NOTIFICATIONS);
      againNanos = AGAIN_NANOS;
    }
  }

  private void check() throws SQLException {
    long since = System.nanoTime() - askedNanos;
    if (asked && since > ANSWER_NANOS) {
      throw new SQLException(
          "a notification to itself was not heard within 3 s. PgBouncer in transaction mode drops"
              + " notifications: connect to PostgreSQL directly, or use its session mode");
    } else if (!asked && since > CHECK_NANOS) {
      ask();
    }
  }
}
