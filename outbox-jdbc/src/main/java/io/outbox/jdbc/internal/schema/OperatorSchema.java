package io.outbox.jdbc.internal.schema;

import io.outbox.jdbc.internal.Product;
import io.outbox.jdbc.internal.StoreErrors;
import io.outbox.jdbc.internal.TableName;
import java.sql.Connection;
import java.util.List;

/** What an operator needs besides the outbox table: tables, and indexes if they are wanted. */
public final class OperatorSchema {

  private final StoreErrors errors;
  private final Additions tables;
  private final Additions indexes;

  public OperatorSchema(Product product, TableName table) {
    this.errors = StoreErrors.operator(product, table);
    this.tables = new Additions(product, table, product.ddlResource("operator"));
    this.indexes = new Additions(product, table, product.ddlResource("operator-indexes"));
  }

  /** The whole file of tables. */
  public String ddl() {
    return tables.ddl();
  }

  /** The whole file of indexes. */
  public String indexesDdl() {
    return indexes.ddl();
  }

  /** What is missing of the tables, in words. */
  public List<String> missing(Connection conn) {
    return tables.missing(conn);
  }

  /** What is missing of the indexes, in words. */
  public List<String> missingIndexes(Connection conn) {
    return indexes.missing(conn);
  }

  public void create(Connection conn) {
    tables.create(conn, errors.template("create the tables for an operator"));
  }

  public void createIndexes(Connection conn) {
    indexes.create(conn, errors.template("create the indexes for an operator"));
  }
}
