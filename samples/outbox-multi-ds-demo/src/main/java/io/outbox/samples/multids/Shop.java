package io.outbox.samples.multids;

import static io.outbox.samples.multids.Databases.ORDERS;
import static io.outbox.samples.multids.Databases.STOCK;

import io.outbox.Outbox;
import javax.sql.DataSource;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/** Each method has a transaction of one database, and writes to the outbox of that one. */
@Service
class Shop {

  private final JdbcTemplate orders;
  private final JdbcTemplate stock;
  private final Outbox ordersOutbox;
  private final Outbox stockOutbox;

  Shop(
      @Qualifier(ORDERS) DataSource orders,
      @Qualifier(STOCK) DataSource stock,
      @Qualifier(ORDERS) Outbox ordersOutbox,
      @Qualifier(STOCK) Outbox stockOutbox) {
    this.orders = new JdbcTemplate(orders);
    this.stock = new JdbcTemplate(stock);
    this.ordersOutbox = ordersOutbox;
    this.stockOutbox = stockOutbox;
  }

  @Transactional(ORDERS)
  void order(String item) {
    orders.update("INSERT INTO orders VALUES (?)", item);
    ordersOutbox.writer().write("Ordered", "\"" + item + "\"");
  }

  @Transactional(STOCK)
  void restock(String item) {
    stock.update("INSERT INTO stock VALUES (?)", item);
    stockOutbox.writer().write("Restocked", "\"" + item + "\"");
  }

  /** A mistake: the event is for a database that has no transaction here. It is refused. */
  @Transactional(ORDERS)
  void orderWithTheWrongOutbox(String item) {
    orders.update("INSERT INTO orders VALUES (?)", item);
    stockOutbox.writer().write("Ordered", "\"" + item + "\"");
  }
}
