package io.outbox.jdbc.purge;

import io.outbox.jdbc.internal.Product;
import io.outbox.jdbc.internal.TableName;
import io.outbox.jdbc.internal.finished.OldRows;

/**
 * Deletes events by age, whatever their status, on H2. For a table whose events no one marks DONE,
 * as with change data capture. Create an index on {@code created_at}, see the schema.
 */
public class H2AgeBasedPurger extends AbstractJdbcEventPurger {

  public H2AgeBasedPurger() {
    this(DEFAULT_TABLE);
  }

  /**
   * Uses another table, optionally with its schema.
   *
   * @throws IllegalArgumentException if the name is not valid
   */
  public H2AgeBasedPurger(String tableName) {
    super(OldRows.aged(Product.H2, TableName.of(tableName)));
  }
}
