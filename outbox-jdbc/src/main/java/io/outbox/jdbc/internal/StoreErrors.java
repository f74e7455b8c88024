package io.outbox.jdbc.internal;

import io.outbox.jdbc.Addition;
import io.outbox.jdbc.JdbcTemplate;
import io.outbox.jdbc.OutboxStoreException;
import java.sql.SQLException;
import java.util.Set;

/** Says in words what went wrong with a table, and what to do about it. */
public final class StoreErrors {

  private static final Set<String> SOMETHING_MISSING =
      Set.of("42P01", "42703", "3F000", "42S02", "42S03", "42S04", "42S22", "90079");
  private static final int MYSQL_UNKNOWN_DATABASE = 1049;
  private static final int MYSQL_UNKNOWN_INDEX = 1176;
  private static final int MYSQL_READ_ONLY = 1792;
  private static final int UNKNOWN_VARIABLE = 1193;

  private final TableName table;
  private final String whereTheDdlIs;

  public StoreErrors(Product product, TableName table) {
    this(table, whereTheDdlIs(product, table));
  }

  private StoreErrors(TableName table, String whereTheDdlIs) {
    this.table = table;
    this.whereTheDdlIs = whereTheDdlIs;
  }

  /** With what to do if an addition to {@code table} is missing. */
  public StoreErrors(Product product, TableName table, Addition addition) {
    this(table, whereTheDdlIs(product, table, addition));
  }

  /** Runs statements; {@code action} completes "could not …". */
  public JdbcTemplate template(String action) {
    return new JdbcTemplate(e -> describe(action, e));
  }

  public OutboxStoreException describe(String action, SQLException e) {
    return new OutboxStoreException(
        "could not " + action + " in table " + table + ": " + reason(e), e);
  }

  private String reason(SQLException e) {
    String said = said(e) + " (SQLState " + e.getSQLState() + ", code " + e.getErrorCode() + ")";
    if (isSomethingMissing(e)) {
      return "the table, a column or an index is missing: " + said + ". " + whereTheDdlIs;
    } else if (isReadOnly(e)) {
      return "the transaction is read-only: " + said;
    }
    return said;
  }

  /** What the database said, without the statement that H2 repeats. */
  public static String said(SQLException e) {
    String message = String.valueOf(e.getMessage());
    int statement = message.indexOf("; SQL statement:");
    return statement < 0 ? message : message.substring(0, statement);
  }

  /** How to make a table right, as the end of an error message. */
  public static String whereTheDdlIs(Product product, TableName table) {
    return ("The DDL is %1$s; OutboxSchema.create(dataSource, \"%2$s\") runs it,"
            + " OutboxSchema.migrate(dataSource, \"%2$s\") brings an older table up to date")
        .formatted(product.whereTheDdlIs(), table);
  }

  /** How to add what a table has not, as the end of an error message. */
  public static String whereTheDdlIs(Product product, TableName table, Addition addition) {
    return "The DDL is %s; OutboxSchema.%s(dataSource, \"%s\") adds what is missing"
        .formatted(
            product.family() == Product.Family.OTHER
                ? product.whereTheDdlIs()
                : product.ddlResource(addition) + " in the outbox-jdbc jar",
            addition.method(),
            table);
  }

  public static boolean isSomethingMissing(SQLException e) {
    return SOMETHING_MISSING.contains(String.valueOf(e.getSQLState()))
        || e.getErrorCode() == MYSQL_UNKNOWN_DATABASE
        || e.getErrorCode() == MYSQL_UNKNOWN_INDEX;
  }

  /** A statement named an index that is not there; only MySQL and MariaDB have such statements. */
  public static boolean isIndexMissing(OutboxStoreException e) {
    return e.getCause() instanceof SQLException cause
        && cause.getErrorCode() == MYSQL_UNKNOWN_INDEX;
  }

  /** The server answered, and does not take the statement: an error of syntax or of names. */
  public static boolean isRefusal(SQLException e) {
    String state = String.valueOf(e.getSQLState());
    return state.startsWith("42") || state.equals("HY000") && e.getErrorCode() == UNKNOWN_VARIABLE;
  }

  private static boolean isReadOnly(SQLException e) {
    return "25006".equals(e.getSQLState()) || e.getErrorCode() == MYSQL_READ_ONLY;
  }
}
