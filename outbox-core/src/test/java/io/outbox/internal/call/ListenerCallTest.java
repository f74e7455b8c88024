package io.outbox.internal.call;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.fakes.CapturedLogs;
import io.outbox.fakes.Events;
import io.outbox.internal.AsyncListener;
import io.outbox.internal.queue.Delivery;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.logging.Level;
import org.junit.jupiter.api.Test;

class ListenerCallTest {

  @Test
  void whatGoesWrongAfterALateAnswerIsLogged() {
    EventEnvelope event = Events.event("e");
    ListenerCall<Delivery> call =
        new ListenerCall<>(
            Delivery.ofCommitted(event, null),
            true,
            null,
            new Interception(List.of(), event, null),
            null,
            (ended, result, failure) -> {
              throw new NoClassDefFoundError("injected");
            });
    CompletableFuture<DispatchResult> answer = new CompletableFuture<>();
    call.run(new AsyncListener(any -> answer), null);
    answer.complete(DispatchResult.done());

    assertThat(CapturedLogs.of(ListenerCall.class, Level.SEVERE))
        .containsExactly("after the answer to event e");
  }
}
