package io.outbox.internal.signals;

import io.outbox.internal.Guard;
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
  private final Guard lock = new Guard();
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
    try (Guard guard = lock.lock()) {
      closed = true;
      changed.signalAll();
    }
  }

  void tell(EventKey key) {
    try (Guard guard = lock.lock()) {
      if (untold.size() < MAX_UNTOLD && untold.add(key)) {
        changed.signalAll();
      }
    }
  }

  /** There was more than can be told. */
  void tellAny() {
    try (Guard guard = lock.lock()) {
      any = true;
      changed.signalAll();
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
    try (Guard guard = lock.lock()) {
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
