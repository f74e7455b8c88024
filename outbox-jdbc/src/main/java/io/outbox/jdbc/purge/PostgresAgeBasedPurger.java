package io.outbox.jdbc.purge;

import io.outbox.jdbc.internal.Product;
import io.outbox.jdbc.internal.TableName;
import io.outbox.jdbc.internal.finished.OldRows;

/**
 * Deletes events by age, whatever their status, on PostgreSQL. For a table whose events no one
 * marks DONE, as with change data capture. Create an index on {@code created_at}, see the schema.
 */
public class PostgresAgeBasedPurger extends AbstractJdbcEventPurger {

  public PostgresAgeBasedPurger() {
    this(DEFAULT_TABLE);
  }

  /**
   * Uses another table, optionally with its schema.
   *
   * @throws IllegalArgumentException if the name is not valid
   */
  public PostgresAgeBasedPurger(String tableName) {
    super(OldRows.aged(Product.POSTGRESQL, TableName.of(tableName)));
  }
}
