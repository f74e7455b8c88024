package io.outbox.spring.events.it.shop;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.springframework.modulith.events.ApplicationModuleListener;
import org.springframework.stereotype.Component;

/** Another module, which Spring Modulith tells of shipped orders. */
@Component
public class Warehouse {

  private final List<String> told = new CopyOnWriteArrayList<>();

  @ApplicationModuleListener
  void on(OrderShipped order) {
    told.add(order.orderId());
  }

  public List<String> told() {
    return told;
  }
}
