package io.outbox.samples.demo;

import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.model.EventStatus;
import io.outbox.registry.DefaultListenerRegistry;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

/** What piled up while nobody delivered. */
final class Backlog implements Chapter {

  private static final int SIZE = 5_000;

  private final Set<String> delivered = ConcurrentHashMap.newKeySet();
  private final AtomicInteger deliveries = new AtomicInteger();

  @Override
  public String title() {
    return "A backlog is drained without waiting for the next interval";
  }

  @Override
  public void register(DefaultListenerRegistry listeners) {
    listeners.register(
        "StockCounted",
        event -> {
          deliveries.incrementAndGet();
          delivered.add(event.eventId());
          return DispatchResult.done();
        });
  }

  @Override
  public void tell(Stage stage, Narrator narrator) throws Exception {
    stage.stopOutbox();
    narrator.say("The outbox is closed. Its writer still writes: the rows wait in the table.");
    stage
        .transactions()
        .run(
            transaction ->
                stage
                    .writer()
                    .writeAll(
                        IntStream.range(0, SIZE)
                            .mapToObj(
                                i -> EventEnvelope.ofJson("StockCounted", "{\"n\": " + i + "}"))
                            .toList()));
    int waiting = stage.countByStatus().getOrDefault(EventStatus.NEW, 0);
    Promise.that(waiting == SIZE, "all " + SIZE + " events wait");
    narrator.fact("waiting", "%,d events", waiting);

    narrator.say("A new outbox starts.");
    long start = System.nanoTime();
    stage.startOutbox();
    Promise.soon("the backlog is delivered", () -> delivered.size() == SIZE);
    stage.awaitNothingPending();
    long took = System.nanoTime() - start;
    Promise.that(deliveries.get() == SIZE, "each event of the backlog is delivered once");
    narrator.fact("delivered once each", "%,d events in %s", SIZE, Narrator.millis(took));
  }
}
