package io.outbox.dispatch;

import io.outbox.EventEnvelope;
import io.outbox.WriterHook;
import io.outbox.internal.BatchHook;
import io.outbox.internal.RepeatedWarning;
import io.outbox.internal.SafeMetrics;
import io.outbox.model.NewEvent;
import io.outbox.spi.MetricsExporter;
import io.outbox.util.PrintableLogger;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.Objects;

/** Offers committed events to a dispatcher's hot queue. Thread-safe. */
@SuppressWarnings("exports") // the writer looks for more than the published hook
public final class DispatcherWriterHook implements BatchHook {

  private static final Logger LOG = PrintableLogger.of(DispatcherWriterHook.class);

  private final DeliveryEngine engine;
  private final MetricsExporter metrics;
  private final RepeatedWarning dropped = new RepeatedWarning(LOG, Level.WARNING);

  public DispatcherWriterHook(OutboxDispatcher dispatcher) {
    this(dispatcher, MetricsExporter.NOOP);
  }

  public DispatcherWriterHook(OutboxDispatcher dispatcher, MetricsExporter metrics) {
    this.engine = Objects.requireNonNull(dispatcher, "dispatcher").engine();
    this.metrics = new SafeMetrics(metrics);
  }

  /** A hook that offers nothing: it lets the poller look when there is something to deliver. */
  public static WriterHook wakingOnly(OutboxDispatcher dispatcher) {
    return new WakingHook(Objects.requireNonNull(dispatcher, "dispatcher").engine().wakeUps());
  }

  @Override
  public List<NewEvent> beforeInsert(List<EventEnvelope> events) {
    return engine.hotPath().prepare(events);
  }

  @Override
  public void insertFailed(List<NewEvent> rows) {
    engine.hotPath().insertFailed(rows);
  }

  @Override
  public void afterWrite(List<EventEnvelope> events) {
    engine.hotPath().inserted(events);
  }

  /** For the writer of this library. */
  @Override
  public Batch inserted(List<EventEnvelope> events) {
    return new HotBatch(this, events, engine.hotPath().inserted(events));
  }

  @Override
  public void afterCommit(List<EventEnvelope> events) {
    DueTimes dueTimes = new DueTimes();
    List<EventEnvelope> later = events.stream().filter(EventEnvelope::isDelayed).toList();
    later.forEach(event -> dueTimes.add(event.availableAt()));
    delayed(later.size(), dueTimes);
    committed(events.stream().filter(event -> !event.isDelayed()).toList(), false);
  }

  @Override
  public void afterRollback(List<EventEnvelope> events) {
    events.forEach(engine.hotPath()::rolledBack);
  }

  /** {@code found}: whether the rows were there right before the commit. */
  void committed(List<EventEnvelope> events, boolean found) {
    for (EventEnvelope event : events) {
      HotPath.HotOffer offer = engine.hotPath().committed(event, found);
      if (offer != HotPath.HotOffer.QUEUED && offer != HotPath.HotOffer.HELD) {
        leftToThePoller(offer, event.eventId(), 1);
      }
    }
  }

  void delayed(int count, DueTimes dueTimes) {
    for (int i = 0; i < count; i++) {
      metrics.incrementHotSkippedDelayed();
    }
    dueTimes.wake(engine.wakeUps());
  }

  HotPath.HotOffer leftOut(EventEnvelope event) {
    return engine.hotPath().leftOut(event);
  }

  /** {@code why}: one of those that put nothing into the queue. */
  void leftToThePoller(HotPath.HotOffer why, String first, int count) {
    for (int i = 0; i < count; i++) {
      switch (why) {
        case PAUSED -> metrics.incrementHotSkippedPaused();
        case DOWN -> metrics.incrementHotSkippedOutage();
        default -> metrics.incrementHotDropped();
      }
    }
    if (why == HotPath.HotOffer.DROPPED) {
      logDropped(first, count);
    }
    engine.hotPath().databaseAnswered();
    engine.wakeUps().now();
  }

  private void logDropped(String first, int count) {
    dropped.log(
        () ->
            "event "
                + first
                + (count == 1 ? " is" : " and " + (count - 1) + " more are")
                + " left to the poller: the hot queue is full, or the outbox has just"
                + " started or been closed");
  }
}
