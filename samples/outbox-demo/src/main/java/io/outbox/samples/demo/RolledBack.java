package io.outbox.samples.demo;

import io.outbox.DispatchResult;
import io.outbox.jdbc.tx.JdbcTransactionManager.Transaction;
import io.outbox.registry.DefaultListenerRegistry;
import java.util.concurrent.atomic.AtomicInteger;

/** No order, no event. */
final class RolledBack implements Chapter {

  private final AtomicInteger deliveries = new AtomicInteger();

  @Override
  public String title() {
    return "What is rolled back is never delivered";
  }

  @Override
  public void register(DefaultListenerRegistry listeners) {
    listeners.register(
        "OrderOnCredit",
        event -> {
          deliveries.incrementAndGet();
          return DispatchResult.done();
        });
  }

  @Override
  public void tell(Stage stage, Narrator narrator) throws Exception {
    narrator.say("The order and its event are written, then the payment is refused.");
    String eventId;
    try (Transaction transaction = stage.transactions().begin()) {
      stage.insertOrder("B-1", 99_900);
      eventId = stage.writer().write("OrderOnCredit", "{\"orderId\": \"B-1\"}");
      transaction.rollback();
    }
    Promise.that(!stage.hasOrder("B-1"), "the order is gone");
    Promise.that(!stage.hasEvent(eventId), "the event is gone");
    checkAgain();
    narrator.fact("rolled back", "no order, no event; checked once more at the end");
  }

  /** Later is when a wrong delivery would have come. */
  void checkAgain() {
    Promise.that(deliveries.get() == 0, "an event that was rolled back is not delivered");
  }
}
