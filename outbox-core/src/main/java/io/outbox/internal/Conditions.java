package io.outbox.internal;

import io.outbox.operate.Condition;
import io.outbox.operate.Condition.Kind;
import io.outbox.util.PrintableLogger;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Instant;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;

/**
 * What this node has to say about itself now, at most one condition of a kind. Logs when one begins
 * and when it ends. Thread-safe.
 */
public final class Conditions {

  private static final Logger LOG = PrintableLogger.of(Conditions.class);

  private final Supplier<Instant> now;
  private final Map<Kind, Condition> current = new EnumMap<>(Kind.class);

  public Conditions(Supplier<Instant> now) {
    this.now = Objects.requireNonNull(now, "now");
  }

  /** From now on this is the case; if it is already, only the message changes. */
  public void raise(Kind kind, String message) {
    synchronized (this) {
      Condition before = current.get(kind);
      Instant since = before == null ? now.get() : before.since();
      current.put(kind, new Condition(kind, since, message));
      if (before != null) {
        return;
      }
    }
    LOG.log(kind.isFailure() ? Level.ERROR : Level.WARNING, message);
  }

  /** It is not the case any more; does nothing if it was not. */
  public void clear(Kind kind) {
    Condition ended;
    synchronized (this) {
      ended = current.remove(kind);
    }
    if (ended != null) {
      LOG.log(Level.INFO, () -> "no longer the case: " + ended.message());
    }
  }

  /** What is the case now, the most important first. */
  public synchronized List<Condition> list() {
    return List.copyOf(current.values());
  }
}
