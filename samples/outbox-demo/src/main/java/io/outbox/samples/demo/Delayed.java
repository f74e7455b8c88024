package io.outbox.samples.demo;

import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.registry.DefaultListenerRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/** An event for later. */
final class Delayed implements Chapter {

  private static final Duration DELAY = Duration.ofMillis(1500);

  private final BlockingQueue<Instant> arrivals = new LinkedBlockingQueue<>();

  @Override
  public String title() {
    return "An event can wait until its time has come";
  }

  @Override
  public void register(DefaultListenerRegistry listeners) {
    listeners.register(
        "ReviewReminder",
        event -> {
          arrivals.add(Instant.now());
          return DispatchResult.done();
        });
  }

  @Override
  public void tell(Stage stage, Narrator narrator) throws Exception {
    narrator.say("A reminder with deliverAfter(" + DELAY.toMillis() + " ms).");
    EventEnvelope reminder =
        EventEnvelope.builder("ReviewReminder")
            .payloadJson("{\"orderId\": \"A-0\"}")
            .deliverAfter(DELAY)
            .build();
    stage.transactions().run(transaction -> stage.writer().write(reminder));

    Instant arrival = Promise.next(arrivals, "the reminder is delivered");
    Duration late = Duration.between(reminder.availableAt(), arrival);
    // The outbox goes by the database's clock, which a loaded machine reads a little differently.
    Promise.that(!late.plusMillis(50).isNegative(), "the reminder does not come early");
    narrator.fact("delivered once", "%s after its time", Narrator.millis(late.toNanos()));
  }
}
