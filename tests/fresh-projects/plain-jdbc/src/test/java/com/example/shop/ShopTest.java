package com.example.shop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.outbox.Outbox;
import java.sql.SQLException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Test;

class ShopTest {

  @Test
  void anEventIsDeliveredOnTheModulePath() throws Exception {
    assertTrue(Outbox.class.getModule().isNamed(), "this project is on the module path");
    var dataSource = new JdbcDataSource();
    dataSource.setURL("jdbc:h2:mem:shop;DB_CLOSE_DELAY=-1");
    var mails = new LinkedBlockingQueue<String>();
    try (Shop shop = new Shop(dataSource, mails::add)) {
      shop.place("A-17");
      assertThrows(SQLException.class, () -> shop.place("A-17"));
      assertEquals("Ada {\"orderId\": \"A-17\"}", mails.poll(60, TimeUnit.SECONDS));
    }
    assertNull(mails.poll());
  }
}
