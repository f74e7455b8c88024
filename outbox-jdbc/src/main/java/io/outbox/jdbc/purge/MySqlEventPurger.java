package io.outbox.jdbc.purge;

import io.outbox.jdbc.internal.Product;
import io.outbox.jdbc.internal.TableName;
import io.outbox.jdbc.internal.finished.OldRows;

/** Deletes DONE and DEAD events that ended long ago, on MySQL, MariaDB and TiDB. */
public class MySqlEventPurger extends AbstractJdbcEventPurger {

  public MySqlEventPurger() {
    this(DEFAULT_TABLE);
  }

  /**
   * Uses another table, optionally with its schema.
   *
   * @throws IllegalArgumentException if the name is not valid
   */
  public MySqlEventPurger(String tableName) {
    super(OldRows.finished(Product.MYSQL, TableName.of(tableName), OldRows.PURGE));
  }
}
