package io.outbox.quarkus.deployment.shop;

import io.outbox.annotation.OutboxListener;
import io.outbox.testing.Await;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;

/** What was delivered. */
@Singleton
public class Deliveries {

  private static final Duration SOON = Duration.ofSeconds(60);

  private final List<String> orders = new CopyOnWriteArrayList<>();

  @OutboxListener("OrderPlaced")
  void on(OrderPlaced order) {
    orders.add(order.orderId());
  }

  public List<String> orders() {
    return List.copyOf(orders);
  }

  public void await(String... expected) {
    Await.until(
        () -> Set.of(expected) + ", so far " + orders,
        SOON,
        () -> orders.containsAll(Set.of(expected)));
  }

  public void clear() {
    orders.clear();
  }
}
