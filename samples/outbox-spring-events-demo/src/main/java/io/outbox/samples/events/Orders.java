package io.outbox.samples.events;

import org.springframework.context.ApplicationEventPublisher;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/** Changes data and publishes events, and does not know that there is an outbox. */
@Service
class Orders {

  private final JdbcTemplate jdbc;
  private final ApplicationEventPublisher events;

  Orders(JdbcTemplate jdbc, ApplicationEventPublisher events) {
    this.jdbc = jdbc;
    this.events = events;
    jdbc.execute(
        "CREATE TABLE IF NOT EXISTS orders (id VARCHAR(64) PRIMARY KEY, carrier VARCHAR(64))");
  }

  @Transactional
  public void place(String orderId, Runnable payment) {
    jdbc.update("INSERT INTO orders (id) VALUES (?)", orderId);
    events.publishEvent(new OrderPlaced(orderId));
    payment.run();
  }

  @Transactional
  public void ship(String orderId, String carrier) {
    jdbc.update("UPDATE orders SET carrier = ? WHERE id = ?", carrier, orderId);
    events.publishEvent(new OrderShipped(orderId, carrier));
  }

  /** Forgot {@code @Transactional}. */
  void forget(String orderId) {
    events.publishEvent(new OrderPlaced(orderId));
  }

  int count() {
    return jdbc.queryForObject("SELECT count(*) FROM orders", Integer.class);
  }
}
