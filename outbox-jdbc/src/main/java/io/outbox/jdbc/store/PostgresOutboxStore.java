package io.outbox.jdbc.store;

import io.outbox.jdbc.internal.Product;
import java.time.Clock;

/** Keeps events in PostgreSQL 14 or later. */
public class PostgresOutboxStore extends AbstractJdbcOutboxStore {

  public PostgresOutboxStore() {
    this(DEFAULT_TABLE);
  }

  /**
   * Uses a table of another name, which may have a schema in front.
   *
   * @throws IllegalArgumentException if it is no name of a table
   */
  public PostgresOutboxStore(String tableName) {
    this(tableName, Clock.systemUTC());
  }

  /** {@code clock} tells the time to the methods that are not given any. */
  public PostgresOutboxStore(String tableName, Clock clock) {
    super(Statements.of(Product.POSTGRESQL, tableName), clock);
  }

  @Override
  protected AbstractJdbcOutboxStore withTable(String tableName) {
    return new PostgresOutboxStore(tableName);
  }
}
