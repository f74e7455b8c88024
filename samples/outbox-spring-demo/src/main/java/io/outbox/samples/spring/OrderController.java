package io.outbox.samples.spring;

import io.outbox.dead.DeadEventManager;
import java.util.List;
import java.util.Map;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

@RestController
class OrderController {

  private final OrderService orders;
  private final Shipping shipping;
  private final DeadEventManager deadEvents;

  OrderController(OrderService orders, Shipping shipping, DeadEventManager deadEvents) {
    this.orders = orders;
    this.shipping = shipping;
    this.deadEvents = deadEvents;
  }

  @PostMapping("/orders")
  Map<String, String> place(@RequestBody Order order) {
    return Map.of("eventId", orders.place(order));
  }

  @GetMapping("/orders/count")
  int count() {
    return orders.count();
  }

  /** The ids of the events that were delivered. */
  @GetMapping("/parcels")
  List<String> parcels() {
    return shipping.parcels();
  }

  @GetMapping("/dead")
  List<Map<String, String>> dead() {
    return deadEvents.query(null, null, 100).stream()
        .map(event -> Map.of("eventId", event.eventId(), "error", event.lastError()))
        .toList();
  }

  /** The bug is fixed: from now on the moon is served. */
  @PostMapping("/dead/{eventId}/replay")
  Map<String, Boolean> replay(@PathVariable String eventId) {
    shipping.shipToTheMoonToo();
    return Map.of("replayed", deadEvents.replay(eventId));
  }

  @ExceptionHandler
  @ResponseStatus(HttpStatus.BAD_REQUEST)
  Map<String, String> refused(IllegalArgumentException e) {
    return Map.of("error", e.getMessage());
  }
}
