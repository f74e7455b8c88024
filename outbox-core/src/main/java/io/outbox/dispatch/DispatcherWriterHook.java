package io.outbox.dispatch;

import io.outbox.EventEnvelope;
import io.outbox.WriterHook;
import io.outbox.internal.RepeatedWarning;
import io.outbox.internal.SafeMetrics;
import io.outbox.internal.WakeUps;
import io.outbox.model.NewEvent;
import io.outbox.spi.MetricsExporter;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.Objects;

/** Offers committed events to a dispatcher's hot queue. Thread-safe. */
public final class DispatcherWriterHook implements WriterHook {

  private static final Logger LOG = System.getLogger(DispatcherWriterHook.class.getName());

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
    WakeUps wakeUps = Objects.requireNonNull(dispatcher, "dispatcher").engine().wakeUps();
    return new WriterHook() {
      @Override
      public void afterCommit(List<EventEnvelope> events) {
        for (EventEnvelope event : events) {
          if (event.isDelayed()) {
            wakeUps.at(event.availableAt());
          } else {
            wakeUps.now();
          }
        }
      }
    };
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

  @Override
  public void afterCommit(List<EventEnvelope> events) {
    for (EventEnvelope event : events) {
      if (event.isDelayed()) {
        metrics.incrementHotSkippedDelayed();
        engine.wakeUps().at(event.availableAt());
      } else if (engine.hotPath().committed(event) == HotPath.HotOffer.DROPPED) {
        metrics.incrementHotDropped();
        dropped.log(
            () ->
                "event "
                    + event.eventId()
                    + " is left to the poller: the hot queue is full, or the outbox has just"
                    + " started or been closed");
        engine.wakeUps().now();
      }
    }
  }

  @Override
  public void afterRollback(List<EventEnvelope> events) {
    events.forEach(engine.hotPath()::rolledBack);
  }
}
