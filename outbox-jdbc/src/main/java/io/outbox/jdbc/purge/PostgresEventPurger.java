package io.outbox.jdbc.purge;

import io.outbox.jdbc.internal.Product;
import io.outbox.jdbc.internal.TableName;
import io.outbox.jdbc.internal.finished.OldRows;

/** Deletes DONE and DEAD events that ended long ago, on PostgreSQL. */
public class PostgresEventPurger extends AbstractJdbcEventPurger {

  public PostgresEventPurger() {
    this(DEFAULT_TABLE);
  }

  /**
   * Uses another table, optionally with its schema.
   *
   * @throws IllegalArgumentException if the name is not valid
   */
  public PostgresEventPurger(String tableName) {
    super(OldRows.finished(Product.POSTGRESQL, TableName.of(tableName), OldRows.PURGE));
  }
}
