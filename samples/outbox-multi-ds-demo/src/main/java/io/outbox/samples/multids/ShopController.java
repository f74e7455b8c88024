package io.outbox.samples.multids;

import java.util.List;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

@RestController
class ShopController {

  private final Shop shop;
  private final Deliveries deliveries;

  ShopController(Shop shop, Deliveries deliveries) {
    this.shop = shop;
    this.deliveries = deliveries;
  }

  @PostMapping("/orders/{item}")
  void order(@PathVariable String item) {
    shop.order(item);
  }

  @PostMapping("/stock/{item}")
  void restock(@PathVariable String item) {
    shop.restock(item);
  }

  @PostMapping("/mistakes/{item}")
  void mistake(@PathVariable String item) {
    shop.orderWithTheWrongOutbox(item);
  }

  @GetMapping("/deliveries")
  List<String> deliveries() {
    return deliveries.all();
  }

  @ExceptionHandler
  @ResponseStatus(HttpStatus.CONFLICT)
  String refused(IllegalStateException e) {
    return e.getMessage();
  }
}
