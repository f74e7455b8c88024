package io.outbox.jdbc.purge;

import io.outbox.jdbc.internal.Product;
import io.outbox.jdbc.internal.TableName;

/** Deletes DONE and DEAD events that ended long ago, on H2. */
public class H2EventPurger extends AbstractJdbcEventPurger {

  public H2EventPurger() {
    this(DEFAULT_TABLE);
  }

  /**
   * Uses a table of another name, which may have a schema in front.
   *
   * @throws IllegalArgumentException if it is no name of a table
   */
  public H2EventPurger(String tableName) {
    super(PurgeSql.finished(Product.H2, TableName.of(tableName)));
  }
}
