package io.outbox.jdbc.purge;

import io.outbox.jdbc.internal.Product;
import io.outbox.jdbc.internal.TableName;

/** Deletes DONE and DEAD events that ended long ago, on PostgreSQL. */
public class PostgresEventPurger extends AbstractJdbcEventPurger {

  public PostgresEventPurger() {
    this(DEFAULT_TABLE);
  }

  /**
   * Uses a table of another name, which may have a schema in front.
   *
   * @throws IllegalArgumentException if it is no name of a table
   */
  public PostgresEventPurger(String tableName) {
    super(PurgeSql.finished(Product.POSTGRESQL, TableName.of(tableName)));
  }
}
