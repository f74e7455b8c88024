package io.outbox.jdbc.store;

import io.outbox.jdbc.internal.Product;
import java.time.Clock;

/** Keeps events in MySQL 8, MariaDB 10.6, TiDB, or later. */
public class MySqlOutboxStore extends AbstractJdbcOutboxStore {

  public MySqlOutboxStore() {
    this(DEFAULT_TABLE);
  }

  /**
   * Uses a table of another name, which may have a schema in front.
   *
   * @throws IllegalArgumentException if it is no name of a table
   */
  public MySqlOutboxStore(String tableName) {
    this(tableName, Clock.systemUTC());
  }

  /** {@code clock} tells the time to the methods that are not given any. */
  public MySqlOutboxStore(String tableName, Clock clock) {
    super(Statements.of(Product.MYSQL, tableName), clock);
  }

  @Override
  protected AbstractJdbcOutboxStore withTable(String tableName) {
    return new MySqlOutboxStore(tableName);
  }
}
