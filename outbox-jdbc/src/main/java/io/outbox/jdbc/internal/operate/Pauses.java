package io.outbox.jdbc.internal.operate;

import io.outbox.jdbc.JdbcTemplate;
import io.outbox.jdbc.internal.Conditions;
import io.outbox.jdbc.internal.StorableText;
import io.outbox.jdbc.internal.StoreContext;
import io.outbox.jdbc.internal.TableName;
import io.outbox.operate.DeliveryPause;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;

/** What operators have paused. */
final class Pauses {

  /** More would be a mistake, and every node reads them all the time. */
  private static final int MOST = 1_000;

  private final StoreContext context;
  private final JdbcTemplate jdbc;
  private final TableName table;
  private final String listSql;

  Pauses(StoreContext context) {
    this.context = context;
    this.jdbc = context.template("keep pauses");
    this.table = context.table.sibling("pause");
    this.listSql =
        "SELECT aggregate_type, event_type, paused_by, paused_at, reason FROM %s ORDER BY pause_no LIMIT %d"
            .formatted(table, MOST);
  }

  List<DeliveryPause> list(Connection conn) {
    return jdbc.query(conn, listSql, this::read);
  }

  private DeliveryPause read(ResultSet row) throws SQLException {
    return new DeliveryPause(
        row.getString(1),
        row.getString(2),
        row.getString(3),
        context.instant(row, 4),
        row.getString(5));
  }

  boolean add(Connection conn, DeliveryPause pause) {
    Conditions same = same(pause.aggregateType(), pause.eventType());
    String there = "SELECT pause_no FROM " + table + " WHERE " + same.text() + " LIMIT 1";
    if (!jdbc.query(conn, there, row -> row.getLong(1), same.params().toArray()).isEmpty()) {
      return false;
    }
    requireRoom(conn);
    String insert =
        "INSERT INTO %s (aggregate_type, event_type, paused_by, paused_at, reason) VALUES (?, ?, ?,"
            + " ?, ?)";
    jdbc.update(
        conn,
        insert.formatted(table),
        pause.aggregateType(),
        pause.eventType(),
        StorableText.cut(pause.by(), AuditLog.NAME_LENGTH),
        context.time(pause.since()),
        StorableText.cut(pause.reason(), AuditLog.DETAIL_LENGTH));
    return true;
  }

  /** One that is not read would be kept, and halt nothing. */
  private void requireRoom(Connection conn) {
    String count = "SELECT count(*) FROM " + table;
    if (jdbc.query(conn, count, row -> row.getInt(1)).get(0) >= MOST) {
      throw new IllegalStateException(
          "there are " + MOST + " pauses, which is the most: end some, or pause a wider range");
    }
  }

  /** Also one that was added twice at the same moment. */
  boolean remove(Connection conn, String aggregateType, String eventType) {
    Conditions same = same(aggregateType, eventType);
    return jdbc.update(
            conn, "DELETE FROM " + table + " WHERE " + same.text(), same.params().toArray())
        > 0;
  }

  private static Conditions same(String aggregateType, String eventType) {
    Conditions same = new Conditions();
    addSame(same, "aggregate_type", aggregateType);
    addSame(same, "event_type", eventType);
    return same;
  }

  private static void addSame(Conditions same, String column, String value) {
    if (value == null) {
      same.add(column + " IS NULL");
    } else {
      same.add(column + " = ?", value);
    }
  }
}
