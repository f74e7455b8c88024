package io.outbox.jdbc.internal.lanes;

import io.outbox.jdbc.JdbcTemplate;
import io.outbox.jdbc.internal.StoreContext;
import io.outbox.jdbc.internal.TableName;
import io.outbox.jdbc.internal.schema.SchemaSnapshot;
import io.outbox.spi.DeliveryMode;
import io.outbox.spi.Member;
import io.outbox.spi.MemberStore;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/**
 * Which nodes deliver, in a database. A node that delivers renews its own row and needs nothing
 * else. To begin, a node locks the guard's row, so that one decides after the other, and then
 * deletes those of other modes that have expired: they find no row to renew and have to begin, too.
 * The database is asked for its time first: lives then rather end early, and are ended late.
 */
public final class JdbcMemberStore implements MemberStore {

  /** The row of no node. */
  private static final String GUARD = "*";

  /** Nodes of the same mode disturb nobody. */
  private static final Duration REMEMBERED = Duration.ofHours(1);

  private static final String RENEW =
      """
      UPDATE %s SET beat_at = ?, alive_until = ?, detail = ?
      WHERE node_id = ? AND mode = ? AND delivers = 1
      """;

  private static final String LOCK_GUARD = "UPDATE %s SET beat_at = ? WHERE node_id = '*'";
  private static final String EXPIRED =
      """
      SELECT node_id FROM %s
      WHERE node_id NOT IN ('*', ?) AND (mode <> ? AND alive_until <= ? OR alive_until <= ?)
      ORDER BY node_id
      """;

  private static final String FORGET = "DELETE FROM %s WHERE node_id = ? AND alive_until <= ?";
  private static final String OTHERS =
      "SELECT node_id FROM %s WHERE mode NOT IN ('*', ?) AND delivers = 1";

  private static final String UPDATE =
      """
      UPDATE %s SET mode = ?, delivers = ?, beat_at = ?, alive_until = ?, detail = ?
      WHERE node_id = ?
      """;

  private static final String INSERT =
      """
      INSERT INTO %s (node_id, mode, delivers, started_at, beat_at, alive_until, detail)
      VALUES (?, ?, ?, ?, ?, ?, ?)
      """;

  private static final String LIST =
      """
      SELECT node_id, mode, delivers, started_at, beat_at, alive_until, detail FROM %s
      WHERE node_id <> '*' AND alive_until > %s ORDER BY started_at, node_id
      """;

  private final StoreContext context;
  private final SchemaSnapshot.Reader schema;
  private final JdbcTemplate jdbc;
  private final TableName table;

  public JdbcMemberStore(StoreContext context) {
    this.context = context;
    this.schema = new SchemaSnapshot.Reader(context);
    this.jdbc = context.template("keep the list of nodes");
    this.table = context.table.sibling("member");
  }

  private int update(Connection conn, String sql, Object... params) {
    return jdbc.update(conn, sql.formatted(table), params);
  }

  private List<String> nodes(Connection conn, String sql, Object... params) {
    return jdbc.query(conn, sql.formatted(table), row -> row.getString(1), params);
  }

  @Override
  public boolean isInstalled(Connection conn) {
    return schema.read(conn).hasTable("member");
  }

  @Override
  public boolean beat(
      Connection conn, String node, DeliveryMode mode, Duration lifetime, String detail) {
    return context.atomically(
        "keep the list of nodes",
        conn,
        c -> {
          Instant now = context.now(c);
          Object until = context.time(now.plus(lifetime));
          return update(c, RENEW, context.time(now), until, detail, node, mode.name()) > 0
              || begin(c, node, mode, now, until, detail);
        });
  }

  private boolean begin(
      Connection conn, String node, DeliveryMode mode, Instant now, Object until, String detail) {
    Object at = context.time(now);
    if (update(conn, LOCK_GUARD, at) == 0) {
      update(conn, INSERT, GUARD, GUARD, 0, at, at, at, null);
    }
    nodes(conn, EXPIRED, node, mode.name(), at, context.time(now.minus(REMEMBERED)))
        .forEach(expired -> update(conn, FORGET, expired, at));
    boolean alone = nodes(conn, OTHERS, mode.name()).isEmpty();
    int delivers = alone ? 1 : 0;
    if (update(conn, UPDATE, mode.name(), delivers, at, until, detail, node) == 0) {
      update(conn, INSERT, node, mode.name(), delivers, at, at, until, detail);
    }
    return alone;
  }

  @Override
  public void leave(Connection conn, String node) {
    update(conn, "DELETE FROM %s WHERE node_id = ?", node);
  }

  @Override
  public List<Member> list(Connection conn) {
    return jdbc.query(conn, LIST.formatted(table, context.product.currentTime()), this::read);
  }

  private Member read(ResultSet row) throws SQLException {
    return new Member(
        row.getString(1),
        row.getString(2),
        row.getInt(3) == 1,
        context.instant(row, 4),
        context.instant(row, 5),
        context.instant(row, 6),
        row.getString(7));
  }
}
