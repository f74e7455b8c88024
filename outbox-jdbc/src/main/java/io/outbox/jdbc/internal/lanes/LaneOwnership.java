package io.outbox.jdbc.internal.lanes;

import io.outbox.jdbc.JdbcTemplate;
import io.outbox.jdbc.internal.InLists;
import io.outbox.jdbc.internal.Product;
import io.outbox.jdbc.internal.StoreContext;
import io.outbox.jdbc.internal.TableName;
import io.outbox.model.EventKey;
import io.outbox.spi.lanes.Lane;
import io.outbox.spi.lanes.LaneGrant;
import io.outbox.spi.lanes.LaneReturn;
import io.outbox.spi.lanes.LaneView;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Which node owns which lanes. The database is asked for its time first: leases then rather end
 * early, and are taken over late. Rows are locked by their keys, in their order, then judged.
 */
final class LaneOwnership {

  private final StoreContext context;
  private final JdbcTemplate jdbc;
  private final LaneNodes nodes;
  private final String rowsSql;
  private final String ownedSql;
  private final String freeSql;
  private final String renewSql;
  private final String takeSql;
  private final String releaseSql;
  private final String renewing;
  private final String holding;

  private record Row(int lane, String owner, long epoch, Instant until) {
    boolean isFree(Instant now) {
      return owner == null || !until.isAfter(now);
    }
  }

  LaneOwnership(StoreContext context) {
    this.context = context;
    this.jdbc = context.template("keep the lanes");
    this.nodes = new LaneNodes(context);
    TableName table = context.table.sibling("lane");
    String byKey = table + context.locks.forceIndex("PRIMARY");
    this.rowsSql = "SELECT lane, owner, epoch, owned_until FROM %s WHERE lane IN ".formatted(byKey);
    this.ownedSql = "SELECT lane FROM %s WHERE owner = ?".formatted(table);
    this.freeSql = "SELECT lane FROM %s WHERE owner IS NULL OR owned_until <= ?".formatted(table);
    this.renewSql = "UPDATE %s SET owned_until = ? WHERE lane IN ".formatted(byKey);
    this.takeSql =
        "UPDATE %s SET owner = ?, owned_until = ?, epoch = epoch + 1 WHERE lane IN "
            .formatted(byKey);
    this.releaseSql =
        """
        UPDATE %s SET owner = NULL, owned_until = NULL
        WHERE lane = ? AND owner = ? AND epoch = ? AND owned_until = ?
        """
            .formatted(table);
    this.renewing = renewing(context.product);
    this.holding = holding(context.product);
  }

  /** Renewals change neither owner nor epoch, and do not wait for {@link #holding}. */
  private static String renewing(Product product) {
    return product == Product.POSTGRESQL ? " FOR NO KEY UPDATE" : " FOR UPDATE";
  }

  /** Only keeps others from taking a lane over; where the database can tell, from nothing else. */
  private static String holding(Product product) {
    return switch (product.family()) {
      case POSTGRESQL -> " FOR KEY SHARE";
      case MYSQL -> " LOCK IN SHARE MODE";
      case H2, OTHER -> " FOR UPDATE";
    };
  }

  LaneView beat(Connection conn, String node, Duration lease) throws SQLException {
    Instant now = context.now(conn);
    Instant until = until(now, lease);
    Set<String> alive = nodes.beat(conn, node, now, lease);
    List<Integer> owned = jdbc.query(conn, ownedSql, row -> row.getInt(1), node);
    List<Lane> renewed =
        rows(conn, owned, renewing).stream()
            .filter(row -> node.equals(row.owner()))
            .map(row -> new Lane(row.lane(), row.epoch()))
            .toList();
    update(conn, renewSql, renewed, context.time(until));
    return new LaneView(EventKey.LANES, alive, new LaneGrant(stamp(until), renewed));
  }

  LaneGrant take(Connection conn, String node, Duration lease, int max) throws SQLException {
    Instant now = context.now(conn);
    Instant until = until(now, lease);
    Object at = context.time(now);
    List<Integer> free = new ArrayList<>(jdbc.query(conn, freeSql, row -> row.getInt(1), at));
    // Nodes that come together then seldom want the same ones.
    Collections.shuffle(free);
    List<Lane> taken = new ArrayList<>();
    Set<Lane> abandoned = new HashSet<>();
    int next = 0;
    while (taken.size() < max && next < free.size()) {
      int end = Math.min(free.size(), next + max - taken.size());
      rows(conn, free.subList(next, end), context.locks.clause(conn)).stream()
          .filter(row -> row.isFree(now))
          .forEach(
              row -> {
                Lane lane = new Lane(row.lane(), row.epoch() + 1);
                taken.add(lane);
                if (row.owner() != null) {
                  abandoned.add(lane);
                }
              });
      next = end;
    }
    update(conn, takeSql, taken, node, context.time(until));
    return new LaneGrant(stamp(until), taken, abandoned);
  }

  void release(Connection conn, String node, Collection<LaneReturn> lanes) {
    List<Object[]> returns =
        lanes.stream()
            .sorted(Comparator.comparing(back -> back.lane().number()))
            .map(
                back ->
                    new Object[] {
                      back.lane().number(),
                      node,
                      back.lane().epoch(),
                      context.time(Instant.EPOCH.plus(back.stamp(), ChronoUnit.MICROS))
                    })
            .toList();
    if (!returns.isEmpty()) {
      jdbc.updateBatch(conn, releaseSql, returns);
    }
  }

  void leave(Connection conn, String node) {
    nodes.leave(conn, node);
  }

  Set<Lane> lock(Connection conn, String node, Collection<Lane> lanes) {
    Set<Lane> asked = Set.copyOf(lanes);
    return rows(conn, asked.stream().map(Lane::number).toList(), holding).stream()
        .filter(row -> node.equals(row.owner()))
        .map(row -> new Lane(row.lane(), row.epoch()))
        .filter(asked::contains)
        .collect(Collectors.toSet());
  }

  private List<Row> rows(Connection conn, Collection<Integer> lanes, String lock) {
    List<Integer> numbers = lanes.stream().distinct().sorted().toList();
    return InLists.query(jdbc, conn, rowsSql, numbers, " ORDER BY lane" + lock, this::read);
  }

  private Row read(ResultSet row) throws SQLException {
    return new Row(row.getInt(1), row.getString(2), row.getLong(3), context.instant(row, 4));
  }

  private void update(Connection conn, String sql, List<Lane> lanes, Object... params) {
    List<Integer> numbers = lanes.stream().map(Lane::number).sorted().toList();
    InLists.update(jdbc, conn, sql, List.of(params), numbers);
  }

  private static Instant until(Instant now, Duration lease) {
    return now.plus(lease).truncatedTo(ChronoUnit.MICROS);
  }

  private static long stamp(Instant until) {
    return ChronoUnit.MICROS.between(Instant.EPOCH, until);
  }
}
