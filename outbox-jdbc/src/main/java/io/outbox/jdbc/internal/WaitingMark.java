package io.outbox.jdbc.internal;

import io.outbox.jdbc.Addition;
import io.outbox.jdbc.JdbcTemplate;
import io.outbox.util.PrintableLogger;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Pattern;

/**
 * The column that says since when an event waits: its first due time, once that is moved. A table
 * of an earlier shape has none, and may get it at any time.
 */
public final class WaitingMark {

  /**
   * What moves the due time, or lets the event wait on. MySQL assigns from left to right: first.
   */
  public static final String SET = "waiting_since = COALESCE(waiting_since, available_at), ";

  /** What ends the waiting. */
  static final String CLEAR = "waiting_since = NULL, ";

  private static final Logger LOG = PrintableLogger.of(WaitingMark.class);
  private static final Pattern COLUMN = Pattern.compile("\\b(e\\.)?waiting_since\\b");

  private final StoreContext context;
  private final JdbcTemplate jdbc;
  private final String sql;
  private final Object[] params;
  private final String none;
  private final AtomicBoolean told = new AtomicBoolean();
  private final Remembered<Boolean> kept = new Remembered<>();

  public WaitingMark(StoreContext context) {
    this.context = context;
    this.jdbc = context.template("look at the schema");
    this.sql = sql(context.product);
    String index = context.table.derived("waiting");
    this.params =
        context.product == Product.POSTGRESQL
            ? new Object[] {context.table.sibling("waiting").toString()}
            : new Object[] {context.table.schema(), context.table.simple(), index};
    this.none = context.product.instantPlaceholder().replace("?", "NULL") + " AS waiting_since";
  }

  /** Null if every table of the product has it. */
  private static String sql(Product product) {
    return switch (product.family()) {
      case POSTGRESQL ->
          "SELECT 1 FROM pg_index WHERE indexrelid = to_regclass(?) AND indisvalid LIMIT 1";
      case MYSQL ->
          """
          SELECT 1 FROM information_schema.statistics
          WHERE table_schema = COALESCE(?, DATABASE()) AND table_name = ? AND index_name = ? LIMIT 1
          """;
      case OTHER -> null;
      case H2 ->
          """
          SELECT 1 FROM information_schema.indexes
          WHERE UPPER(table_schema) = UPPER(COALESCE(?, CURRENT_SCHEMA))
            AND UPPER(table_name) = UPPER(?) AND UPPER(index_name) = UPPER(?) LIMIT 1
          """;
    };
  }

  /** Whether the table has the column and its index. */
  public boolean isKept(Connection conn) {
    return kept.get(() -> ask(conn));
  }

  /** As {@link #isKept}, for who has no connection: false if nobody has asked so far. */
  public boolean isKnownToBeKept() {
    return Boolean.TRUE.equals(kept.last());
  }

  private boolean ask(Connection conn) {
    boolean there = sql == null || !jdbc.query(conn, sql, row -> row.getInt(1), params).isEmpty();
    if (!there && told.compareAndSet(false, true)) {
      LOG.log(Level.WARNING, this::missing);
    }
    return there;
  }

  private String missing() {
    return ("table %s does not say since when events wait: the lag counts from the last retry or"
            + " deferral of an event. %s")
        .formatted(
            context.table,
            StoreErrors.whereTheDdlIs(context.product, context.table, Addition.WAITING));
  }

  /** A statement that reads {@link EventColumns}: as it is, or without the column. */
  public String reading(Connection conn, String select) {
    return isKept(conn) ? select : COLUMN.matcher(select).replaceAll(none);
  }

  /** The beginning of assignments that move the due time. */
  public String set(Connection conn) {
    return isKept(conn) ? SET : "";
  }

  /** The beginning of assignments that finish or replay an event. */
  public String clear(Connection conn) {
    return isKept(conn) ? CLEAR : "";
  }
}
