package io.outbox.poller;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.outbox.RecoverableException;
import io.outbox.dispatch.QueuedEvent;
import io.outbox.fakes.Engine;
import io.outbox.fakes.Events;
import io.outbox.model.EventStatus;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** A handler that hands what was polled to a dispatcher, as the specification shows it. */
class OwnHandlerTest {

  private static OutboxPoller poller(Engine engine) {
    return engine
        .pollerSettings
        .handler(
            (event, attempts) ->
                engine
                    .dispatcher()
                    .enqueueCold(new QueuedEvent(event, QueuedEvent.Source.COLD, attempts)))
        .build();
  }

  /** Between the answer of the database and the handler the event is delivered otherwise. */
  private static void deliverDuringTheFirstPoll(Engine engine, String ended) {
    AtomicBoolean first = new AtomicBoolean(true);
    engine.store.after(
        "fetchPending",
        batch -> {
          if (first.getAndSet(false)) {
            engine
                .dispatcher()
                .enqueueHot(new QueuedEvent(Events.event("e"), QueuedEvent.Source.HOT, 0));
            await().until(() -> engine.metrics.count(ended) == 1);
          }
        });
  }

  @Test
  void R3_whatWasDeliveredAfterThePollHadReadItIsNotDeliveredAgain() throws Exception {
    try (Engine engine = new Engine().build();
        OutboxPoller poller = poller(engine)) {
      engine.store.seed(Events.event("e"));
      deliverDuringTheFirstPoll(engine, "success");

      poller.poll();
      engine.dispatcher().close(); // delivers what is queued

      assertThat(engine.delivered()).containsExactly("e");
    }
  }

  @Test
  void R1_whatFailedAfterThePollHadReadItIsDeliveredByTheNextPoll() throws Exception {
    try (Engine engine = new Engine()) {
      engine.dispatcherSettings.retryPolicy(attempts -> 0);
      engine.listener(
          event -> {
            if (engine.delivered().size() == 1) {
              throw new RecoverableException("once");
            }
            return null;
          });
      engine.build();
      try (OutboxPoller poller = poller(engine)) {
        engine.store.seed(Events.event("e"));
        deliverDuringTheFirstPoll(engine, "failure");

        poller.poll();
        assertThat(engine.store.status("e")).isEqualTo(EventStatus.RETRY);
        poller.poll();

        await().until(() -> engine.store.status("e") == EventStatus.DONE);
        assertThat(engine.delivered()).containsExactly("e", "e");
      }
    }
  }
}
