package io.outbox.jdbc.purge;

import io.outbox.jdbc.internal.Product;
import io.outbox.jdbc.internal.TableName;

/** Deletes DONE and DEAD events that ended long ago, on MySQL, MariaDB and TiDB. */
public class MySqlEventPurger extends AbstractJdbcEventPurger {

  public MySqlEventPurger() {
    this(DEFAULT_TABLE);
  }

  /**
   * Uses a table of another name, which may have a schema in front.
   *
   * @throws IllegalArgumentException if it is no name of a table
   */
  public MySqlEventPurger(String tableName) {
    super(PurgeSql.finished(Product.MYSQL, TableName.of(tableName)));
  }
}
