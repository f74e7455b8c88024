package io.outbox.samples.spring;

import io.outbox.EventEnvelope;
import io.outbox.OutboxWriter;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;
import tools.jackson.databind.ObjectMapper;

/** Places orders: the row and the event are committed together, or neither is. */
@Service
class OrderService {

  private final JdbcTemplate jdbc;
  private final OutboxWriter outbox;
  private final ObjectMapper json;

  OrderService(JdbcTemplate jdbc, OutboxWriter outbox, ObjectMapper json) {
    this.jdbc = jdbc;
    this.outbox = outbox;
    this.json = json;
  }

  /**
   * Places an order.
   *
   * @return the id of its event
   * @throws IllegalArgumentException if there is nothing to ship; everything is rolled back
   */
  @Transactional
  String place(Order order) {
    jdbc.update(
        "INSERT INTO orders (customer, destination, quantity) VALUES (?, ?, ?)",
        order.customer(),
        order.destination(),
        order.quantity());
    String eventId =
        outbox.write(
            EventEnvelope.builder("OrderPlaced")
                .aggregateId(order.customer())
                .payloadJson(json.writeValueAsString(order))
                .build());
    if (order.quantity() < 1) {
      throw new IllegalArgumentException("an order of " + order.quantity() + " cannot be shipped");
    }
    return eventId;
  }

  int count() {
    return jdbc.queryForObject("SELECT count(*) FROM orders", Integer.class);
  }
}
