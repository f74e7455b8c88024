package io.outbox.internal.record;

import io.outbox.dispatch.QueuedEvent;
import io.outbox.internal.RepeatedWarning;
import io.outbox.internal.queue.Delivery;
import io.outbox.internal.queue.HeldEvents;
import io.outbox.internal.time.WakeUps;
import io.outbox.spi.MetricsExporter;
import io.outbox.spi.Outcome;
import io.outbox.util.PrintableLogger;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;

/** What follows from an outcome that is in the database, or never will be. */
public final class OutcomeSettler implements OutcomeRecorder.Listener<Delivery> {

  private static final Logger LOG = PrintableLogger.of(OutcomeSettler.class);

  private final HeldEvents held;
  private final MetricsExporter metrics;
  private final WakeUps wakeUps;
  private final DeadLetters deadLetters;
  private final RepeatedWarning lostWarning = new RepeatedWarning(LOG, Level.WARNING);

  public OutcomeSettler(
      HeldEvents held, MetricsExporter metrics, WakeUps wakeUps, DeadLetters deadLetters) {
    this.held = held;
    this.metrics = metrics;
    this.wakeUps = wakeUps;
    this.deadLetters = deadLetters;
  }

  @Override
  public void written(Delivery delivery, Outcome outcome) {
    held.release(delivery);
    switch (outcome.status()) {
      case DONE -> {
        metrics.incrementDispatchSuccess();
        metrics.recordFailedAttempts(outcome.attempts());
      }
      case RETRY -> {
        metrics.incrementDispatchFailure();
        wakeUps.at(outcome.at());
      }
      case NEW -> {
        if (delivery.wasPutOffByListener()) {
          metrics.incrementDispatchDeferred();
        } else {
          metrics.incrementDispatchHeldBack();
        }
        wakeUps.at(outcome.at());
      }
      case DEAD -> {
        metrics.incrementDispatchDead();
        metrics.recordFailedAttempts(outcome.attempts());
        LOG.log(
            Level.ERROR,
            () ->
                "event "
                    + outcome.eventId()
                    + " ("
                    + delivery.envelope().eventType()
                    + ") is DEAD after "
                    + outcome.attempts()
                    + " failed attempts: "
                    + outcome.error());
        deadLetters.onDead(delivery.envelope(), outcome.error());
      }
    }
  }

  @Override
  public void abandoned(Delivery delivery, Outcome outcome) {
    held.release(delivery);
    // Right after its commit nobody else can have finished it.
    boolean suspicious = delivery.source() == QueuedEvent.Source.HOT && delivery.attempts() == 0;
    lostWarning.log(
        () ->
            "the outcome "
                + outcome.status()
                + " of event "
                + outcome.eventId()
                + " was not written: the event is finished, gone, or somebody else's by now"
                + (suspicious
                    ? "; if this happens to every event, the transactions and the"
                        + " connectionProvider use different databases or tables"
                    : ""));
  }

  @Override
  public void batchEnded() {
    held.signalProgress();
  }
}
