package io.outbox.jdbc.purge;

import io.outbox.jdbc.internal.Product;
import io.outbox.jdbc.internal.TableName;

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
    super(PurgeSql.finished(Product.MYSQL, TableName.of(tableName)));
  }
}
