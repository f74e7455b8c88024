package io.outbox.spring.events.it.shop;

import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.spring.events.EventRule;
import io.outbox.testing.RecordingListener;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;

@SpringBootApplication
public class ShopApplication {

  // snippet: spring-events-rule
  @Bean
  EventRule<OrderPaid> orderPaid() {
    return EventRule.of(OrderPaid.class)
        .when(paid -> paid.cents() > 0)
        .aggregateType("orders")
        .key(OrderPaid::orderId)
        .header("currency", OrderPaid::currency)
        .envelope((paid, envelope) -> envelope.tenantId(paid.shop()))
        .build();
  }

  // end

  @Bean
  String returns() {
    return "returned-orders";
  }

  @Bean
  RecordingListener delivered() {
    return new RecordingListener();
  }

  /** For all events without another listener. */
  @Bean
  DefaultListenerRegistry listeners(RecordingListener delivered) {
    return new DefaultListenerRegistry().registerDefault(delivered);
  }
}
