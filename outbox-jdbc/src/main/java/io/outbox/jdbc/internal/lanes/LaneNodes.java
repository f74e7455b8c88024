package io.outbox.jdbc.internal.lanes;

import io.outbox.jdbc.JdbcTemplate;
import io.outbox.jdbc.internal.InLists;
import io.outbox.jdbc.internal.StoreContext;
import io.outbox.jdbc.internal.TableName;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.Set;

/** The nodes that share the lanes. */
final class LaneNodes {

  private final StoreContext context;
  private final JdbcTemplate jdbc;
  private final String readSql;
  private final String beatSql;
  private final String leaveSql;
  private final String forgetSql;

  private record Node(String id, Instant beatAt) {}

  LaneNodes(StoreContext context) {
    this.context = context;
    this.jdbc = context.template("keep the list of nodes");
    TableName table = context.table.sibling("node");
    this.readSql = "SELECT node_id, beat_at FROM " + table;
    this.beatSql = beatSql(context).formatted(table);
    this.leaveSql = "DELETE FROM %s WHERE node_id = ?".formatted(table);
    this.forgetSql =
        "SELECT node_id FROM %s%s WHERE beat_at <= ? AND node_id IN "
            .formatted(table, context.locks.forceIndex("PRIMARY"));
  }

  private static String beatSql(StoreContext context) {
    return switch (context.product.family()) {
      case H2, OTHER -> "MERGE INTO %s (node_id, beat_at) KEY (node_id) VALUES (?, ?)";
      case POSTGRESQL ->
          """
          INSERT INTO %s (node_id, beat_at) VALUES (?, ?)
          ON CONFLICT (node_id) DO UPDATE SET beat_at = excluded.beat_at
          """;
      case MYSQL ->
          """
          INSERT INTO %s (node_id, beat_at) VALUES (?, ?)
          ON DUPLICATE KEY UPDATE beat_at = VALUES(beat_at)
          """;
    };
  }

  /**
   * Takes note that {@code node} is alive, and then forgets those that are not: what others have
   * locked is passed over, so that nodes that forget each other do not wait for each other.
   *
   * @return those that are alive
   */
  Set<String> beat(Connection conn, String node, Instant now, Duration lease) throws SQLException {
    Instant dead = now.minus(lease);
    Set<String> alive = new HashSet<>();
    Set<String> silent = new HashSet<>();
    jdbc.query(conn, readSql, row -> new Node(row.getString(1), context.instant(row, 2)))
        .forEach(other -> (other.beatAt().isAfter(dead) ? alive : silent).add(other.id()));
    jdbc.update(conn, beatSql, node, context.time(now));
    alive.add(node);
    silent.remove(node);
    forget(conn, silent, dead);
    return alive;
  }

  /** Unless they have come back in the meantime. */
  private void forget(Connection conn, Set<String> nodes, Instant dead) throws SQLException {
    InLists.query(
            jdbc,
            conn,
            forgetSql,
            nodes.stream().sorted().toList(),
            context.locks.clause(conn),
            row -> row.getString(1),
            context.time(dead))
        .forEach(node -> leave(conn, node));
  }

  void leave(Connection conn, String node) {
    jdbc.update(conn, leaveSql, node);
  }
}
