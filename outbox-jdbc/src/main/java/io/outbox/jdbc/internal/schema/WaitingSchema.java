package io.outbox.jdbc.internal.schema;

import io.outbox.jdbc.internal.Product;
import io.outbox.jdbc.internal.StoreErrors;
import io.outbox.jdbc.internal.TableName;
import java.sql.Connection;
import java.util.List;

/** The column that says since when an event waits, and its index. */
public final class WaitingSchema {

  private final StoreErrors errors;
  private final Additions column;

  public WaitingSchema(Product product, TableName table) {
    this.errors = StoreErrors.waiting(product, table);
    this.column = new Additions(product, table, product.ddlResource("waiting"));
  }

  /** The whole file. */
  public String ddl() {
    return column.ddl();
  }

  /** What is missing, in words. */
  public List<String> missing(Connection conn) {
    return column.missing(conn);
  }

  public void create(Connection conn) {
    column.create(conn, errors.template("add since when events wait"));
  }
}
