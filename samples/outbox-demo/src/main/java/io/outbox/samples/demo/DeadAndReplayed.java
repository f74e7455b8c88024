package io.outbox.samples.demo;

import io.outbox.DispatchResult;
import io.outbox.UnrecoverableException;
import io.outbox.model.OutboxEvent;
import io.outbox.registry.DefaultListenerRegistry;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/** A bug, an operator, a fix. */
final class DeadAndReplayed implements Chapter {

  private record Payment(String currency) {}

  private final BlockingQueue<String> booked = new LinkedBlockingQueue<>();
  private volatile boolean bugIsFixed;

  @Override
  public String title() {
    return "An event that cannot be delivered is kept, found and replayed";
  }

  @Override
  public void register(DefaultListenerRegistry listeners) {
    listeners.register(
        "PaymentReceived",
        event -> {
          String currency = event.payload(Payment.class).currency;
          if (!bugIsFixed) {
            throw new UnrecoverableException("unknown currency " + currency);
          }
          booked.add(event.eventId());
          return DispatchResult.done();
        });
  }

  @Override
  public void tell(Stage stage, Narrator narrator) throws Exception {
    narrator.say("The listener has a bug: it does not know Swiss francs, and says so for good.");
    String eventId =
        stage
            .transactions()
            .call(
                transaction -> stage.writer().write("PaymentReceived", "{\"currency\": \"CHF\"}"));

    Stage.DeathNotice notice = Promise.next(stage.deathNotices(), "onDead is called");
    Promise.that(notice.event().eventId().equals(eventId), "onDead is given the dead event");
    narrator.fact("onDead was called", "%s", notice.reason());

    List<OutboxEvent> dead = stage.deadEvents().query("PaymentReceived", null, 10);
    Promise.that(dead.size() == 1, "DeadEventManager finds the event");
    narrator.fact("DeadEventManager", "finds %s, %s", dead.get(0).eventId(), dead.get(0).status());

    bugIsFixed = true;
    narrator.say("The bug is fixed, and the operator replays the event.");
    long replayed = System.nanoTime();
    Promise.that(stage.deadEvents().replay(eventId), "a dead event can be replayed");
    String again = Promise.next(booked, "the replayed event is delivered");
    Promise.that(again.equals(eventId), "the replayed event is the one that was dead");
    narrator.fact(
        "delivered", "%s after the replay", Narrator.millis(System.nanoTime() - replayed));
    stage.awaitNothingPending();
    Promise.that(stage.deadEvents().count(null) == 0, "no dead event is left");
  }
}
