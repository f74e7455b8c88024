package io.outbox.samples.bootkafka;

import io.outbox.operate.OperatorAction;
import io.outbox.operate.OutboxOperator;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.springframework.stereotype.Component;

/** Tells how orders become shipments, and fails if what it tells is not so. */
@Component
class Story {

  private static final int ORDERS = 100;
  private static final long PATIENCE_NANOS = TimeUnit.MINUTES.toNanos(2);

  private final OrderService service;
  private final OrderRepository orders;
  private final ShipmentRepository shipments;
  private final Shipping shipping;
  private final OutboxOperator operator;

  Story(
      OrderService service,
      OrderRepository orders,
      ShipmentRepository shipments,
      Shipping shipping,
      OutboxOperator operator) {
    this.service = service;
    this.orders = orders;
    this.shipments = shipments;
    this.shipping = shipping;
    this.operator = operator;
  }

  void tell(PrintStream out) throws InterruptedException {
    out.println("1. JPA saves each order, and the outbox its event, in one transaction");
    List<String> events = placeOrders();
    boolean refused = isRefused();
    await("orders", ORDERS, orders::count);
    fact(out, "orders committed", ORDERS);
    fact(out, "orders rolled back", refused ? 1 : 0);

    out.println("2. The outbox publishes to Kafka; a @KafkaListener with an inbox ships");
    await("shipments", ORDERS, shipments::count);
    fact(out, "shipments", ORDERS);

    out.println("3. An operator replays all events, so Kafka delivers each a second time");
    fact(out, "events replayed", operator.perform(new OperatorAction.Replay(), events));
    await("duplicates", ORDERS, shipping::duplicates);
    await("shipments", ORDERS, shipments::count);
    fact(out, "duplicates ignored", shipping.duplicates());
    fact(out, "shipments", ORDERS);
    out.println("Each order was shipped once.");
  }

  private List<String> placeOrders() {
    List<String> events = new ArrayList<>();
    for (int i = 1; i <= ORDERS; i++) {
      events.add(service.place("A-" + i, 100 * i));
    }
    return events;
  }

  private boolean isRefused() {
    try {
      service.place("B-1", -1);
      return false;
    } catch (IllegalArgumentException expected) {
      return true;
    }
  }

  private static void await(String what, long expected, LongSupplier actual)
      throws InterruptedException {
    long deadline = System.nanoTime() + PATIENCE_NANOS;
    while (actual.getAsLong() != expected) {
      if (System.nanoTime() - deadline > 0) {
        throw new IllegalStateException(
            "expected %,d %s, but there are %,d".formatted(expected, what, actual.getAsLong()));
      }
      Thread.sleep(20);
    }
  }

  private static void fact(PrintStream out, String what, long count) {
    out.println(String.format(Locale.ROOT, "   + %-20s %,5d", what, count));
  }
}
