package io.outbox.jdbc.internal.outcome;

import io.outbox.jdbc.JdbcTemplate;
import io.outbox.jdbc.internal.EventColumns;
import io.outbox.jdbc.internal.Product;
import io.outbox.jdbc.internal.StoreContext;
import io.outbox.jdbc.internal.TableName;
import io.outbox.model.OutboxEvent;
import java.sql.Connection;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** Lists, counts and replays what was given up. */
public final class DeadEvents {

  /** What a replay makes of a row; both its parameters are the time. */
  public static final String NEW_LIFE =
      "status = 0, attempts = 0, claims = 0, starts = 0, last_error = NULL, done_at = NULL,"
          + " available_at = ?, replayed_at = ?, locked_by = NULL, locked_at = NULL, lease_no ="
          + " lease_no + 1";

  private final StoreContext context;
  private final JdbcTemplate jdbc;
  private final String selectSql;
  private final String countSql;
  private final String replaySql;
  private final String countUnknownSql;

  public DeadEvents(StoreContext context) {
    this.context = context;
    this.jdbc = context.template("query or replay dead events");
    String from = " FROM " + context.along("finished");
    this.selectSql = "SELECT " + EventColumns.ALL + from + " WHERE status = 3";
    this.countSql = "SELECT count(*)" + from + " WHERE status = 3";
    this.replaySql = "%s WHERE event_id = ? AND status = 3".formatted(NEW_LIFE);
    this.countUnknownSql =
        context.product == Product.POSTGRESQL
            ? countUnknownInPostgres(context.table)
            : "SELECT count(*)%s WHERE status < 0 OR status > 3".formatted(from);
  }

  /** There are none as a rule, and looking for the first uses the index whatever is planned. */
  private static String countUnknownInPostgres(TableName table) {
    return """
    SELECT CASE
      WHEN (SELECT status FROM %1$s WHERE %2$s ORDER BY status LIMIT 1) IS NULL THEN 0
      ELSE (SELECT count(*) FROM %1$s WHERE %2$s) END
    """
        .formatted(table, "status NOT IN (0, 1, 2, 3)");
  }

  public List<OutboxEvent> query(
      Connection conn, String eventType, String aggregateType, int limit) {
    List<Object> params = new ArrayList<>();
    String sql =
        selectSql
            + filter("event_type", eventType, params)
            + filter("aggregate_type", aggregateType, params)
            + " ORDER BY created_at, seq"
            + context.product.limit();
    params.add(limit);
    return jdbc.query(
        conn, context.waiting.reading(conn, sql), context.columns::read, params.toArray());
  }

  public int count(Connection conn, String eventType) {
    List<Object> params = new ArrayList<>();
    String sql = countSql + filter("event_type", eventType, params);
    return jdbc.query(conn, sql, row -> row.getInt(1), params.toArray()).get(0);
  }

  public int replay(Connection conn, String eventId, Instant now) {
    Object at = context.time(now);
    String update = "UPDATE " + context.table + " SET " + context.waiting.clear(conn);
    return jdbc.update(conn, update + replaySql, at, at, eventId);
  }

  public long countUnknown(Connection conn) {
    return jdbc.query(conn, countUnknownSql, row -> row.getLong(1)).get(0);
  }

  private static String filter(String column, String value, List<Object> params) {
    if (value == null) {
      return "";
    }
    params.add(value);
    return " AND " + column + " = ?";
  }
}
