package io.outbox.jdbc.internal.lanes;

import io.outbox.jdbc.JdbcTemplate;
import io.outbox.jdbc.internal.Addition;
import io.outbox.jdbc.internal.StoreContext;
import io.outbox.jdbc.internal.TableName;
import io.outbox.jdbc.internal.schema.Additions;
import io.outbox.model.DeliveryMode;
import io.outbox.model.Member;
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

  private final StoreContext context;
  private final Additions schema;
  private final JdbcTemplate jdbc;
  private final String renewSql;
  private final String guardSql;
  private final String expiredSql;
  private final String forgetSql;
  private final String othersSql;
  private final String updateSql;
  private final String insertSql;
  private final String leaveSql;
  private final String listSql;

  public JdbcMemberStore(StoreContext context) {
    this.context = context;
    this.schema = new Additions(context.product, context.table, Addition.MEMBERS);
    this.jdbc = context.template("keep the list of nodes");
    TableName table = context.table.sibling("member");
    this.renewSql =
        """
        UPDATE %s SET beat_at = ?, alive_until = ?, detail = ?
        WHERE node_id = ? AND mode = ? AND delivers = 1
        """
            .formatted(table);
    this.guardSql = "UPDATE %s SET beat_at = ? WHERE node_id = '%s'".formatted(table, GUARD);
    this.expiredSql =
        """
        SELECT node_id FROM %s
        WHERE node_id NOT IN ('%s', ?) AND (mode <> ? AND alive_until <= ? OR alive_until <= ?)
        ORDER BY node_id
        """
            .formatted(table, GUARD);
    this.forgetSql = "DELETE FROM %s WHERE node_id = ? AND alive_until <= ?".formatted(table);
    this.othersSql =
        "SELECT node_id FROM %s WHERE mode NOT IN ('%s', ?) AND delivers = 1"
            .formatted(table, GUARD);
    this.updateSql =
        """
        UPDATE %s SET mode = ?, delivers = ?, beat_at = ?, alive_until = ?, detail = ?
        WHERE node_id = ?
        """
            .formatted(table);
    this.insertSql =
        """
        INSERT INTO %s (node_id, mode, delivers, started_at, beat_at, alive_until, detail)
        VALUES (?, ?, ?, ?, ?, ?, ?)
        """
            .formatted(table);
    this.leaveSql = "DELETE FROM %s WHERE node_id = ?".formatted(table);
    this.listSql =
        """
        SELECT node_id, mode, delivers, started_at, beat_at, alive_until, detail FROM %s
        WHERE node_id <> '%s' AND alive_until > %s ORDER BY started_at, node_id
        """
            .formatted(table, GUARD, context.product.currentTime());
  }

  @Override
  public boolean isInstalled(Connection conn) {
    return schema.missing(conn).isEmpty();
  }

  @Override
  public boolean beat(
      Connection conn, String node, DeliveryMode mode, Duration lifetime, String detail) {
    return context.atomically(
        "keep the list of nodes",
        conn,
        c -> {
          Instant now = now(c);
          Object until = time(now.plus(lifetime));
          return jdbc.update(c, renewSql, time(now), until, detail, node, mode.name()) > 0
              || begin(c, node, mode, now, until, detail);
        });
  }

  private boolean begin(
      Connection conn, String node, DeliveryMode mode, Instant now, Object until, String detail) {
    Object at = time(now);
    if (jdbc.update(conn, guardSql, at) == 0) {
      jdbc.update(conn, insertSql, GUARD, GUARD, 0, at, at, at, null);
    }
    jdbc.query(
            conn,
            expiredSql,
            row -> row.getString(1),
            node,
            mode.name(),
            at,
            time(now.minus(REMEMBERED)))
        .forEach(expired -> jdbc.update(conn, forgetSql, expired, at));
    boolean alone = jdbc.query(conn, othersSql, row -> row.getString(1), mode.name()).isEmpty();
    int delivers = alone ? 1 : 0;
    if (jdbc.update(conn, updateSql, mode.name(), delivers, at, until, detail, node) == 0) {
      jdbc.update(conn, insertSql, node, mode.name(), delivers, at, at, until, detail);
    }
    return alone;
  }

  @Override
  public void leave(Connection conn, String node) {
    jdbc.update(conn, leaveSql, node);
  }

  @Override
  public List<Member> list(Connection conn) {
    return jdbc.query(conn, listSql, this::read);
  }

  private Member read(ResultSet row) throws SQLException {
    return new Member(
        row.getString(1),
        row.getString(2),
        row.getInt(3) == 1,
        context.product.instant(row, 4),
        context.product.instant(row, 5),
        context.product.instant(row, 6),
        row.getString(7));
  }

  private Instant now(Connection conn) {
    return jdbc.query(
            conn, context.product.currentTimeSql(), row -> context.product.instant(row, 1))
        .get(0);
  }

  private Object time(Instant instant) {
    return context.product.parameter(instant);
  }
}
