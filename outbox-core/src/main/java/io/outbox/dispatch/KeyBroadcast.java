package io.outbox.dispatch;

import io.outbox.internal.RepeatedWarning;
import io.outbox.internal.StoreSession;
import io.outbox.model.EventKey;
import io.outbox.spi.ConnectionProvider;
import io.outbox.spi.KeySignals;
import io.outbox.util.DaemonThreadFactory;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/**
 * Tells other nodes what was committed for keys of theirs, many at once, and hears what they tell.
 * Best effort: what is lost is found at the next interval. Thread-safe.
 */
final class KeyBroadcast {

  private static final Logger LOG = System.getLogger(KeyBroadcast.class.getName());
  private static final int MAX_UNTOLD = 1_000;
  private static final long GAP_NANOS = TimeUnit.MILLISECONDS.toNanos(5);
  private static final long FAILED_AGAIN_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final Duration WAIT = Duration.ofMillis(500);

  private final StoreSession session;
  private final ConnectionProvider connections;
  private final KeySignals signals;
  private final Consumer<Optional<Set<EventKey>>> heard;
  private final RepeatedWarning warning = new RepeatedWarning(LOG, Level.WARNING);
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final Set<EventKey> untold = new LinkedHashSet<>();
  private boolean closed;
  private final Thread teller;
  private final Thread hearer;

  /**
   * @param heard told which keys there is something for; empty if any
   */
  KeyBroadcast(
      StoreSession session,
      ConnectionProvider connections,
      KeySignals signals,
      Consumer<Optional<Set<EventKey>>> heard) {
    this.session = session;
    this.connections = connections;
    this.signals = signals;
    this.heard = heard;
    this.teller = new DaemonThreadFactory("outbox-notify-").newThread(this::runTelling);
    this.hearer = new DaemonThreadFactory("outbox-listen-").newThread(this::runHearing);
  }

  void start() {
    teller.start();
    hearer.start();
  }

  void close() {
    lock.lock();
    try {
      closed = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  void tell(EventKey key) {
    lock.lock();
    try {
      if (untold.size() < MAX_UNTOLD && untold.add(key)) {
        changed.signalAll();
      }
    } finally {
      lock.unlock();
    }
  }

  private boolean isClosed() {
    lock.lock();
    try {
      return closed;
    } finally {
      lock.unlock();
    }
  }

  private void pause(long nanos) throws InterruptedException {
    lock.lock();
    try {
      long left = nanos;
      while (!closed && left > 0) {
        left = changed.awaitNanos(left);
      }
    } finally {
      lock.unlock();
    }
  }

  // ---- telling

  private void runTelling() {
    try {
      for (List<EventKey> keys = takeUntold(); !keys.isEmpty(); keys = takeUntold()) {
        boolean told = tellSafely(keys);
        pause(told ? GAP_NANOS : FAILED_AGAIN_NANOS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Waits; none when it is time to end. */
  private List<EventKey> takeUntold() throws InterruptedException {
    lock.lock();
    try {
      while (untold.isEmpty() && !closed) {
        changed.await();
      }
      List<EventKey> keys = new ArrayList<>(untold);
      untold.clear();
      return keys;
    } finally {
      lock.unlock();
    }
  }

  private boolean tellSafely(List<EventKey> keys) {
    try {
      session.inTransaction(
          conn -> {
            signals.send(conn, keys);
            return null;
          });
      return true;
    } catch (RuntimeException e) {
      warning.log(() -> "other nodes could not be told what was committed", e);
      return false;
    }
  }

  // ---- hearing

  private void runHearing() {
    try {
      while (!isClosed()) {
        try (Connection conn = connections.getConnection()) {
          hear(conn);
        } catch (SQLException | RuntimeException e) {
          warning.log(() -> "what other nodes tell cannot be heard; trying again", e);
          pause(FAILED_AGAIN_NANOS);
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void hear(Connection conn) throws SQLException {
    boolean autoCommit = conn.getAutoCommit();
    conn.setAutoCommit(true);
    try {
      signals.listen(conn);
      heard.accept(Optional.empty()); // whatever was told before
      while (!isClosed()) {
        heard.accept(signals.receive(conn, WAIT));
      }
    } finally {
      // Also if it is broken: a pool learns that from statements, not from who only listens.
      signals.stopListening(conn);
      conn.setAutoCommit(autoCommit);
    }
  }
}
