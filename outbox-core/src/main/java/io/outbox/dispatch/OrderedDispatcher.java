package io.outbox.dispatch;

import io.outbox.WriterHook;
import io.outbox.operate.Condition;
import java.time.Duration;
import java.util.List;

/** What {@code Outbox.orderedByKey()} delivers with, and is the only way to build. Thread-safe. */
public final class OrderedDispatcher implements AutoCloseable {

  private final KeyedEngine engine;
  private boolean closed;

  private OrderedDispatcher(KeyedEngine engine) {
    this.engine = engine;
  }

  /**
   * What it needs beyond the settings of a dispatcher.
   *
   * @param node names this process; no other may have the same
   * @param lease how long lanes stay with a node that is not heard of
   * @param handover how long a handover waits for what runs
   * @param intervalMs how often all keys are looked through
   * @param blockAfterDead whether a key waits when one of its events is DEAD
   * @param notifications whether nodes learn at once what others have committed
   */
  public record Settings(
      String node,
      Duration lease,
      Duration handover,
      long intervalMs,
      boolean blockAfterDead,
      boolean notifications) {}

  /** Starts its threads. */
  public static OrderedDispatcher start(OutboxDispatcher.Builder settings, Settings order) {
    KeyedEngine engine = new KeyedEngine(settings, order);
    try {
      engine.start();
    } catch (Throwable failure) {
      engine.stop();
      throw failure;
    }
    return new OrderedDispatcher(engine);
  }

  /** Has the owner of a key look as soon as something is committed for it. */
  public WriterHook writerHook() {
    return new KeyedHook(engine);
  }

  /** What this dispatcher has to say about itself now; empty if all is well. */
  public List<Condition> conditions() {
    return engine.conditions();
  }

  @Override
  public void close() {
    synchronized (this) {
      if (closed) {
        return;
      }
      closed = true;
    }
    boolean interrupted = Thread.interrupted();
    interrupted |= engine.stop();
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
