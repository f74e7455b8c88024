package io.outbox.spring.events.it.shop;

import io.outbox.spring.events.Outboxed;
import org.springframework.modulith.events.Externalized;

/** Has more than one way to the outbox, and a target that a bean knows. */
public interface OrderReturned {

  String orderId();

  /** Ours comes first. */
  @Externalized("returns")
  @Outboxed(
      value = "orders",
      type = "#{'Order' + 'Returned'}",
      headers = {"reason=#{reason}", "source=shop"})
  record Twice(String orderId, String reason) implements OrderReturned {}

  /** The bean's name is that of {@link ShopApplication#returns}. */
  @Externalized("#{@returns}::#{orderId}")
  record ByBean(String orderId) implements OrderReturned {}

  /** Without a target. */
  @Externalized
  record Plain(String orderId) implements OrderReturned {}
}
