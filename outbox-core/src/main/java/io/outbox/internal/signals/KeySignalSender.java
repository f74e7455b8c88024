package io.outbox.internal.signals;

import io.outbox.internal.RepeatedWarning;
import io.outbox.internal.store.StoreSession;
import io.outbox.internal.time.EngineThread;
import io.outbox.model.EventKey;
import io.outbox.spi.lanes.KeySignals;
import io.outbox.util.PrintableLogger;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Tells other nodes what was committed for keys of theirs, many at once. Best effort: a lost
 * message delays an event until the next interval. Thread-safe.
 */
public final class KeySignalSender {

  private static final Logger LOG = PrintableLogger.of(KeySignalSender.class);

  /**
   * So many fit into no message, however short they are: then it says that any key may be meant.
   */
  private static final int MAX_UNTOLD = 4_000;

  private static final long GAP_NANOS = TimeUnit.MILLISECONDS.toNanos(5);
  private static final long FAILED_AGAIN_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final StoreSession session;
  private final KeySignals signals;
  private final RepeatedWarning warning = new RepeatedWarning(LOG, Level.WARNING);
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final Set<EventKey> untold = new LinkedHashSet<>();
  private boolean any; // more was committed than is known
  private boolean closed;
  private final EngineThread thread;

  KeySignalSender(StoreSession session, KeySignals signals) {
    this.session = session;
    this.signals = signals;
    this.thread = new EngineThread("outbox-notify-", "other nodes cannot be told", this::tellNext);
  }

  void start() {
    thread.start();
  }

  void close() {
    thread.close();
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

  /** There was more than can be told. */
  void tellAny() {
    lock.lock();
    try {
      any = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private long tellNext() throws InterruptedException {
    Untold next = takeUntold();
    if (next == null) {
      return 0;
    }
    try {
      send(next);
      return GAP_NANOS;
    } catch (Throwable e) {
      next.keys.forEach(this::tell);
      if (next.any) {
        tellAny();
      }
      warning.log(() -> "other nodes could not be told what was committed; trying again", e);
      return FAILED_AGAIN_NANOS;
    }
  }

  private record Untold(List<EventKey> keys, boolean any) {}

  /** Waits; null when it is time to end. */
  private Untold takeUntold() throws InterruptedException {
    lock.lock();
    try {
      while (untold.isEmpty() && !any && !closed) {
        changed.await();
      }
      if (closed) {
        return null;
      }
      Untold taken = new Untold(List.copyOf(untold), any);
      untold.clear();
      any = false;
      return taken;
    } finally {
      lock.unlock();
    }
  }

  private void send(Untold next) {
    session.lockingNothing(
        conn -> {
          if (next.any) {
            signals.sendAny(conn);
          } else {
            signals.send(conn, next.keys);
          }
          return null;
        });
  }
}
