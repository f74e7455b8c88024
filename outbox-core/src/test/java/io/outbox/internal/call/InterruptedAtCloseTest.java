package io.outbox.internal.call;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.outbox.DispatchResult;
import io.outbox.fakes.Engine;
import io.outbox.fakes.Events;
import io.outbox.model.EventStatus;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** A listener that the end of the outbox interrupts has not done its work. */
class InterruptedAtCloseTest {

  @Test
  void R1_aListenerThatReturnsBecauseItWasInterruptedKeepsItsEvent() throws Exception {
    CountDownLatch never = new CountDownLatch(1);
    CountDownLatch returned = new CountDownLatch(1);
    try (Engine engine = new Engine()) {
      engine.listener(
          event -> {
            try {
              never.await();
            } catch (InterruptedException e) {
              Thread.currentThread().interrupt();
            }
            returned.countDown();
            return DispatchResult.done();
          });
      engine.start();
      engine.write(Events.event("e"));
      await().until(() -> !engine.delivered().isEmpty());

      engine.poller().close();
      engine.dispatcher().close();

      assertThat(returned.await(60, TimeUnit.SECONDS)).isTrue();
      assertThat(engine.store.status("e")).isEqualTo(EventStatus.NEW);
      assertThat(engine.store.row("e").attempts()).isZero();
    }
  }
}
