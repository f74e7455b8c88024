package com.example.shop;

import io.outbox.OutboxWriter;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

@Service
public class Orders {

  private final JdbcTemplate jdbc;
  private final OutboxWriter outbox;

  Orders(JdbcTemplate jdbc, OutboxWriter outbox) {
    this.jdbc = jdbc;
    this.outbox = outbox;
  }

  // snippet: boot-write
  @Transactional
  public void place(String orderId) {
    jdbc.update("INSERT INTO orders VALUES (?)", orderId);
    outbox.write("OrderPlaced", "{\"orderId\": \"" + orderId + "\"}");
  } // commit: the event is delivered now; rollback: it never existed
  // end
}
