package io.outbox.samples.demo;

import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.jdbc.tx.JdbcTransactionManager.Transaction;
import io.outbox.registry.DefaultListenerRegistry;
import java.sql.SQLException;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/** The reason for all of this: the order and its event are one commit, and the event is quick. */
final class DeliveredAtOnce implements Chapter {

  private static final int MORE = 500;

  /** What the event says. */
  record OrderPlaced(String orderId, int cents) {}

  private record Arrival(String eventId, OrderPlaced order, long nanos) {}

  private final BlockingQueue<Arrival> arrivals = new LinkedBlockingQueue<>();
  private final Latencies latencies;

  DeliveredAtOnce(Latencies latencies) {
    this.latencies = latencies;
  }

  @Override
  public String title() {
    return "An event is delivered as soon as its transaction has committed";
  }

  @Override
  public void register(DefaultListenerRegistry listeners) {
    listeners.register(
        "OrderPlaced",
        event -> {
          long now = System.nanoTime();
          arrivals.add(new Arrival(event.eventId(), event.payload(OrderPlaced.class), now));
          return DispatchResult.done();
        });
  }

  @Override
  public void tell(Stage stage, Narrator narrator) throws Exception {
    narrator.say("One transaction inserts an order and writes the event OrderPlaced.");
    long first = placeOrder(stage, "A-0");
    narrator.fact("delivered once", "%s after commit()", Narrator.millis(first));

    narrator.say("The same " + MORE + " times more, one transaction each.");
    for (int i = 1; i <= MORE; i++) {
      latencies.add(placeOrder(stage, "A-" + i));
    }
    Promise.that(arrivals.isEmpty(), "each order is delivered once");
    narrator.fact("delivered once each", "see the times at the end");
  }

  /** Returns how long the event took from the call of commit() to its listener. */
  private long placeOrder(Stage stage, String orderId) throws SQLException, InterruptedException {
    String eventId;
    long committing;
    try (Transaction transaction = stage.transactions().begin()) {
      stage.insertOrder(orderId, 1999);
      eventId =
          stage
              .writer()
              .write(
                  EventEnvelope.builder("OrderPlaced")
                      .payload(new OrderPlaced(orderId, 1999))
                      .build());
      committing = System.nanoTime();
      transaction.commit();
    }
    Arrival arrival = Promise.next(arrivals, "order " + orderId + " is delivered");
    Promise.that(arrival.eventId.equals(eventId), "the listener gets the event just committed");
    Promise.that(arrival.order.orderId.equals(orderId), "the payload comes as it was written");
    return arrival.nanos - committing;
  }
}
