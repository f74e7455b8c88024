package io.outbox.internal.hot;

import io.outbox.EventEnvelope;
import io.outbox.dispatch.DispatcherWriterHook;
import io.outbox.internal.BatchHook;
import io.outbox.internal.RepeatedWarning;
import io.outbox.internal.SafeMetrics;
import io.outbox.internal.time.WakeUps;
import io.outbox.spi.MetricsExporter;
import io.outbox.spi.NewEvent;
import java.lang.System.Logger.Level;
import java.util.List;

/** Offers committed events to the hot queue. Thread-safe. */
public class HotHook implements BatchHook {

  /** Named after the public hook, as the specification says. */
  private final HotPath hotPath;

  private final WakeUps wakeUps;
  private final MetricsExporter metrics;
  private final RepeatedWarning dropped =
      new RepeatedWarning(DispatcherWriterHook.class, Level.WARNING);

  public HotHook(HotPath hotPath, WakeUps wakeUps, MetricsExporter metrics) {
    this.hotPath = hotPath;
    this.wakeUps = wakeUps;
    this.metrics = SafeMetrics.around(metrics);
  }

  @Override
  public List<NewEvent> beforeInsert(List<EventEnvelope> events) {
    return hotPath.prepare(events);
  }

  @Override
  public void insertFailed(List<NewEvent> rows) {
    hotPath.insertFailed(rows);
  }

  @Override
  public void afterWrite(List<EventEnvelope> events) {
    hotPath.inserted(events);
  }

  /** For the writer of this library. */
  @Override
  public Batch inserted(List<EventEnvelope> events) {
    return new HotBatch(this, events, hotPath.inserted(events));
  }

  @Override
  public Ahead ahead(String eventId) {
    return hotPath.ahead(eventId);
  }

  @Override
  public BatchHook withoutMemory() {
    return new WakingHook(wakeUps);
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
    events.forEach(hotPath::rolledBack);
  }

  /** {@code found}: whether the rows were there right before the commit. */
  public void committed(List<EventEnvelope> events, boolean found) {
    for (EventEnvelope event : events) {
      HotPath.HotOffer offer = hotPath.committed(event, found);
      if (offer != HotPath.HotOffer.QUEUED && offer != HotPath.HotOffer.HELD) {
        leftToThePoller(offer, event.eventId(), 1);
      }
    }
  }

  public void delayed(int count, DueTimes dueTimes) {
    for (int i = 0; i < count; i++) {
      metrics.incrementHotSkippedDelayed();
    }
    dueTimes.wake(wakeUps);
  }

  public HotPath.HotOffer leftOut(EventEnvelope event) {
    return hotPath.leftOut(event);
  }

  /** {@code why}: one of those that put nothing into the queue. */
  public void leftToThePoller(HotPath.HotOffer why, String first, int count) {
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
    hotPath.databaseAnswered();
    wakeUps.now();
  }

  private void logDropped(String first, int count) {
    dropped.log(
        () ->
            "event "
                + first
                + (count == 1 ? " is" : " and " + (count - 1) + " more are")
                + " handed to the poller: the hot queue is full, or the outbox has just"
                + " started or been closed");
  }
}
