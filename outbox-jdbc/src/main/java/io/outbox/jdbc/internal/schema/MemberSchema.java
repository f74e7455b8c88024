package io.outbox.jdbc.internal.schema;

import io.outbox.jdbc.internal.Product;
import io.outbox.jdbc.internal.StoreErrors;
import io.outbox.jdbc.internal.TableName;
import java.sql.Connection;
import java.util.List;

/** The list of nodes beside the outbox table. */
public final class MemberSchema {

  private final StoreErrors errors;
  private final Additions table;

  public MemberSchema(Product product, TableName table) {
    this.errors = StoreErrors.members(product, table);
    this.table = new Additions(product, table, product.ddlResource("members"));
  }

  /** The whole file. */
  public String ddl() {
    return table.ddl();
  }

  /** What is missing, in words. */
  public List<String> missing(Connection conn) {
    return table.missing(conn);
  }

  public void create(Connection conn) {
    table.create(conn, errors.template("create the list of nodes"));
  }
}
