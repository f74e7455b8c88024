package io.outbox.spring.boot.it.shop;

import io.outbox.EventEnvelope;
import io.outbox.spring.boot.OutboxListener;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.springframework.stereotype.Component;

@Component
public class Shipping {

  public final List<OrderPlaced> shipped = new CopyOnWriteArrayList<>();
  public final List<String> audited = new CopyOnWriteArrayList<>();

  // snippet: boot-jpa-listener
  @OutboxListener(eventType = "OrderPlaced", aggregateType = "Order")
  void ship(OrderPlaced order, EventEnvelope event) {
    if (event.headers().get("source").equals("shop")) {
      shipped.add(order);
    }
  }

  // end

  @OutboxListener("Audited")
  void audit(String what) {
    audited.add(what);
  }
}
