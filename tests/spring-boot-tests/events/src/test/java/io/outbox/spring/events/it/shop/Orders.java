package io.outbox.spring.events.it.shop;

import org.springframework.context.ApplicationEventPublisher;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

@Service
public class Orders {

  private final JdbcTemplate jdbc;
  private final ApplicationEventPublisher events;

  Orders(JdbcTemplate jdbc, ApplicationEventPublisher events) {
    this.jdbc = jdbc;
    this.events = events;
  }

  // snippet: spring-events-publish
  @Transactional
  public void place(String orderId, int cents) {
    jdbc.update("INSERT INTO orders (id) VALUES (?)", orderId);
    events.publishEvent(new OrderPlaced(orderId, cents)); // inserts the outbox event
  }
  // end
}
