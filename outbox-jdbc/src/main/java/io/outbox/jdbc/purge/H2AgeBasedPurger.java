package io.outbox.jdbc.purge;

import io.outbox.jdbc.internal.Product;
import io.outbox.jdbc.internal.TableName;

/**
 * Deletes events that were created long ago, whatever became of them, on H2. For a table that
 * nobody marks DONE, as with change data capture; it wants an index on {@code created_at}, see the
 * schema.
 */
public class H2AgeBasedPurger extends AbstractJdbcEventPurger {

  public H2AgeBasedPurger() {
    this(DEFAULT_TABLE);
  }

  /**
   * Uses a table of another name, which may have a schema in front.
   *
   * @throws IllegalArgumentException if it is no name of a table
   */
  public H2AgeBasedPurger(String tableName) {
    super(PurgeSql.aged(Product.H2, TableName.of(tableName)));
  }
}
