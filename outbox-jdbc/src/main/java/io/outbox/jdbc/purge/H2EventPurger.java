package io.outbox.jdbc.purge;

import io.outbox.jdbc.internal.Product;
import io.outbox.jdbc.internal.TableName;
import io.outbox.jdbc.internal.finished.OldRows;

/** Deletes DONE and DEAD events that ended long ago, on H2. */
public class H2EventPurger extends AbstractJdbcEventPurger {

  public H2EventPurger() {
    this(DEFAULT_TABLE);
  }

  /**
   * Uses another table, optionally with its schema.
   *
   * @throws IllegalArgumentException if the name is not valid
   */
  public H2EventPurger(String tableName) {
    super(OldRows.finished(Product.H2, TableName.of(tableName), OldRows.PURGE));
  }
}
