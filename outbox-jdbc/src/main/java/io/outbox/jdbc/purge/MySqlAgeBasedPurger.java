package io.outbox.jdbc.purge;

import io.outbox.jdbc.internal.Product;
import io.outbox.jdbc.internal.TableName;

/**
 * Deletes events that were created long ago, whatever became of them, on MySQL, MariaDB and TiDB.
 * For a table that nobody marks DONE, as with change data capture; it wants an index on {@code
 * created_at}, see the schema.
 */
public class MySqlAgeBasedPurger extends AbstractJdbcEventPurger {

  public MySqlAgeBasedPurger() {
    this(DEFAULT_TABLE);
  }

  /**
   * Uses a table of another name, which may have a schema in front.
   *
   * @throws IllegalArgumentException if it is no name of a table
   */
  public MySqlAgeBasedPurger(String tableName) {
    super(PurgeSql.aged(Product.MYSQL, TableName.of(tableName)));
  }
}
