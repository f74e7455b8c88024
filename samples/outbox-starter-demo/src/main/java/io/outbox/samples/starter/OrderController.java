package io.outbox.samples.starter;

import java.util.Map;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

@RestController
class OrderController {

  private final OrderService orders;
  private final OrderRepository repository;
  private final Confirmations confirmations;

  OrderController(OrderService orders, OrderRepository repository, Confirmations confirmations) {
    this.orders = orders;
    this.repository = repository;
    this.confirmations = confirmations;
  }

  /** Answers with the number of the order. */
  @PostMapping("/orders/{item}")
  long place(@PathVariable String item, @RequestParam(defaultValue = "1") int quantity) {
    return orders.place(item, quantity);
  }

  @GetMapping("/orders/count")
  long count() {
    return repository.count();
  }

  /** How often each order was confirmed. */
  @GetMapping("/confirmations")
  Map<Long, Integer> confirmations() {
    return confirmations.byOrder();
  }

  @ExceptionHandler
  @ResponseStatus(HttpStatus.BAD_REQUEST)
  String refused(IllegalArgumentException e) {
    return e.getMessage();
  }
}
