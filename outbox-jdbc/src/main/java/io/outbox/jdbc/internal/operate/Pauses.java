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

/** What operators have paused: a table whose first two columns say what. */
final class Pauses {

  /** More would be a mistake, and every node reads them all the time. */
  private static final int MOST = 1_000;

  private final StoreContext context;
  private final JdbcTemplate jdbc;
  private final TableName table;
  private final boolean byType;
  private final String number;
  private final String first;
  private final String second;

  private Pauses(StoreContext context, String suffix, boolean byType, String first, String second) {
    this.context = context;
    this.jdbc = context.template("keep pauses");
    this.table = context.table.sibling(suffix);
    this.byType = byType;
    this.number = suffix + "_no";
    this.first = first;
    this.second = second;
  }

  static Pauses ofTypes(StoreContext context) {
    return new Pauses(context, "pause", true, "aggregate_type", "event_type");
  }

  static Pauses ofTenantsAndDestinations(StoreContext context) {
    return new Pauses(context, "hold", false, "tenant_id", "destination");
  }

  List<DeliveryPause> list(Connection conn) {
    String sql = "SELECT %s, %s, paused_by, paused_at, reason FROM %s ORDER BY %s LIMIT %s";
    return jdbc.query(conn, sql.formatted(first, second, table, number, MOST), this::read);
  }

  private DeliveryPause read(ResultSet row) throws SQLException {
    return new DeliveryPause(
        byType ? row.getString(1) : null,
        byType ? row.getString(2) : null,
        byType ? null : row.getString(1),
        byType ? null : row.getString(2),
        row.getString(3),
        context.instant(row, 4),
        row.getString(5));
  }

  boolean add(Connection conn, DeliveryPause pause) {
    String one = byType ? pause.aggregateType() : pause.tenantId();
    String other = byType ? pause.eventType() : pause.destination();
    Conditions same = same(one, other);
    String there = "SELECT %s FROM %s WHERE %s LIMIT 1".formatted(number, table, same.text());
    if (!jdbc.query(conn, there, row -> row.getLong(1), same.params().toArray()).isEmpty()) {
      return false;
    }
    requireRoom(conn);
    String insert = "INSERT INTO %s (%s, %s, paused_by, paused_at, reason) VALUES (?, ?, ?, ?, ?)";
    jdbc.update(
        conn,
        insert.formatted(table, first, second),
        one,
        other,
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
          "there are %s pauses in table %s, which is the most: end some, or pause a wider range"
              .formatted(MOST, table));
    }
  }

  /** Also one that was added twice at the same moment. */
  boolean remove(Connection conn, String one, String other) {
    Conditions same = same(one, other);
    return jdbc.update(
            conn, "DELETE FROM " + table + " WHERE " + same.text(), same.params().toArray())
        > 0;
  }

  private Conditions same(String one, String other) {
    return new Conditions().same(first, one).same(second, other);
  }
}
