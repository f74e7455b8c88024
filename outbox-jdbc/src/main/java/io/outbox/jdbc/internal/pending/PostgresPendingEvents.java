package io.outbox.jdbc.internal.pending;

import io.outbox.jdbc.internal.EventColumns;
import io.outbox.jdbc.internal.EventColumns.Claim;
import io.outbox.jdbc.internal.InLists;
import io.outbox.jdbc.internal.PartitionedBySeq;
import io.outbox.jdbc.internal.PostgresPlans;
import io.outbox.jdbc.internal.PostgresRoutes;
import io.outbox.jdbc.internal.RowSize;
import io.outbox.jdbc.internal.StoreContext;
import io.outbox.model.OutboxEvent;
import io.outbox.spi.PendingQuery;
import io.outbox.spi.PollCursor;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/**
 * One statement chooses, locks, claims and returns. The CTEs are materialized, or a row could be
 * chosen again by a second run of a subquery; a row that changed since the snapshot is judged anew
 * when it is locked.
 */
public final class PostgresPendingEvents extends PendingEvents {

  private static final String ACTION = "read or claim pending events";

  private static final String DUE = "status IN (0, 2) AND locked_by IS NULL";
  private static final String LEASED = "status IN (0, 2) AND locked_by IS NOT NULL";

  private static final String WITHOUT = "AND " + PostgresRoutes.NONE_OF;

  private static final String SET_CLAIM =
      "locked_by = ?, locked_at = ?, lease_no = e.lease_no + 1, claims = e.claims + 1";

  /** The expired first, then the due, until the limit or the bytes are reached. */
  private static final String BOUNDED =
      """
      (SELECT * FROM (
        SELECT u.*, sum(size) OVER (
            ORDER BY expired DESC, position, seq ROWS UNBOUNDED PRECEDING) AS total
        FROM (
          SELECT *, true AS expired, locked_at AS position FROM expired
          UNION ALL
          SELECT *, false, available_at FROM due) u) v
      WHERE %1$s * (total - size) < ?
      ORDER BY expired DESC, position, seq LIMIT ?) w
      """
          .formatted(RowSize.IN_MEMORY);

  /**
   * The same for whole rows, which would be copied for each of those steps: here they are copied
   * once, as the index has them in order.
   */
  private static final String BOUNDED_ROWS =
      """
      SELECT %1$s, false AS expired, available_at AS position, total FROM (
        SELECT d.*, (SELECT coalesce(sum(size), 0) FROM expired) + sum(size) OVER w AS total,
          (SELECT count(*) FROM expired) + row_number() OVER w AS place
        FROM (%2$s) d WINDOW w AS (ORDER BY available_at, seq ROWS UNBOUNDED PRECEDING)) v
      WHERE %3$s * (total - size) < ? AND place <= ?
      UNION ALL
      SELECT %1$s, true, locked_at, total FROM (
        SELECT e.*, sum(size) OVER (ORDER BY locked_at, seq ROWS UNBOUNDED PRECEDING) AS total
        FROM expired e) v
      WHERE %3$s * (total - size) < ?
      """;

  private final PostgresPlans jdbc;
  private final PartitionedBySeq partitioned;
  private final ClaimTurn turn;
  private final String pollSql;
  private final String claimSql;
  private final Fetch fetch;
  private final Fetch fetchWithout;
  private final String nextDueSql;

  public PostgresPendingEvents(StoreContext context) {
    super(context);
    this.jdbc = new PostgresPlans(context, ACTION);
    this.partitioned = new PartitionedBySeq(context);
    this.turn = new ClaimTurn(context);
    String table = context.table.toString();
    // Two halves, because each has an index.
    this.pollSql =
        """
        SELECT %s FROM %s
        WHERE ((%s) OR (%s)) AND available_at <= ? AND created_at <= ?
        ORDER BY created_at, seq LIMIT ?
        """
            .formatted(EventColumns.ALL, table, DUE, LEASED);
    this.claimSql =
        """
        WITH chosen AS MATERIALIZED (
          SELECT ctid AS place, tableoid AS part FROM %1$s
          WHERE ((%2$s) OR (%3$s AND locked_at < ?)) AND available_at <= ? AND created_at <= ?
          ORDER BY created_at, seq LIMIT ? FOR UPDATE SKIP LOCKED)
        UPDATE %1$s e SET %4$s FROM chosen c
        WHERE e.ctid = c.place AND e.tableoid = c.part AND e.status IN (0, 2)
          AND (e.locked_by IS NULL OR e.locked_at < ?)
        RETURNING %5$s
        """
            .formatted(table, DUE, LEASED, SET_CLAIM, EventColumns.of("e"));
    this.fetch = new Fetch("");
    this.fetchWithout = new Fetch(WITHOUT);
    this.nextDueSql =
        "SELECT available_at FROM %s WHERE %s AND available_at > ? ORDER BY available_at LIMIT 1"
            .formatted(table, DUE);
  }

  /** The statements that fetch a batch limited in bytes. */
  private final class Fetch {
    private final String readSql;
    private final String claimSql;
    private final String claimInPartitionsSql;

    Fetch(String without) {
      readSql =
          expired(EventColumns.ALL, without, "")
              + BOUNDED_ROWS.formatted(
                  EventColumns.ALL, due(EventColumns.ALL, without, ""), RowSize.IN_MEMORY);
      String places = "ctid AS place, tableoid AS part, available_at, locked_at, seq";
      String lock = "FOR UPDATE SKIP LOCKED";
      claimSql =
          expired(places, without, lock)
              + ", due AS MATERIALIZED (%s)".formatted(due(places, without, lock))
              + """
              UPDATE %s e SET %s FROM (SELECT place, part, seq, expired, position, total FROM %s) c
              WHERE e.ctid = c.place AND e.tableoid = c.part AND e.status IN (0, 2)
                AND (e.locked_by IS NULL OR e.locked_at < ?)
              RETURNING %s, c.expired, c.position, c.total
              """
                  .formatted(context.table, SET_CLAIM, BOUNDED, EventColumns.of("e"));
      // Of the partitions, only that of the row is looked into.
      claimInPartitionsSql =
          claimSql.replace("e.tableoid = c.part", "e.tableoid = c.part AND e.seq = c.seq");
    }

    private String expired(String columns, String without, String lock) {
      return """
      WITH expired AS MATERIALIZED (
        SELECT %1$s, %4$s AS size FROM %2$s
        WHERE %3$s AND (locked_at, seq) > (?, ?) AND locked_at < ?
          AND available_at <= ? AND created_at <= ? %5$s
        ORDER BY locked_at, seq LIMIT ? %6$s)
      """
          .formatted(columns, context.table, LEASED, RowSize.POSTGRES, without, lock);
    }

    /**
     * The limit is the whole limit, not what the expired left: the planner must see a small
     * constant, or it plans for a tenth of the table.
     */
    private String due(String columns, String without, String lock) {
      return """
      SELECT %1$s, %4$s AS size FROM %2$s
        WHERE (SELECT count(*) FROM expired) < ?
          AND %3$s AND (available_at, seq) > (?, ?)
          AND available_at <= ? AND created_at <= ? %5$s
        ORDER BY available_at, seq LIMIT ? %6$s
      """
          .formatted(columns, context.table, DUE, RowSize.POSTGRES, without, lock);
    }
  }

  @Override
  public List<OutboxEvent> poll(Connection conn, PendingQuery query) {
    return jdbc.query(
        conn,
        PostgresPlans.ANEW,
        context.waiting.reading(conn, pollSql),
        context.columns::read,
        context.time(query.now()),
        context.time(query.createdUntil()),
        query.limit());
  }

  @Override
  public List<OutboxEvent> claim(Connection conn, PendingQuery query) {
    return jdbc
        .query(
            conn,
            PostgresPlans.ANEW,
            context.waiting.reading(conn, claimSql),
            context.columns::read,
            context.time(query.lockExpiry()),
            context.time(query.now()),
            context.time(query.createdUntil()),
            query.limit(),
            query.claimAs(),
            context.time(query.now()),
            context.time(query.lockExpiry()))
        .stream()
        .sorted(OLDEST_FIRST)
        .toList();
  }

  @Override
  List<Found> select(Connection conn, PendingQuery query, PollCursor after) {
    Object now = context.time(query.now());
    Object createdUntil = context.time(query.createdUntil());
    Object lockExpiry = context.time(query.lockExpiry());
    int limit = query.limit();
    Fetch statements = query.without().isEmpty() ? fetch : fetchWithout;
    List<Object> without = PostgresRoutes.params(conn, query.without());
    List<Object> params = new ArrayList<>();
    Collections.addAll(
        params, position(after.leasedAt()), after.leasedSeq(), lockExpiry, now, createdUntil);
    params.addAll(without);
    Collections.addAll(
        params, limit, limit, position(after.dueAt()), after.dueSeq(), now, createdUntil);
    params.addAll(without);
    params.add(limit);
    if (query.claimAs() == null) {
      return jdbc.query(
          conn,
          PostgresPlans.READ_BY_INDEX,
          context.waiting.reading(conn, statements.readSql),
          row -> found(row, null),
          InLists.params(params, List.of(query.maxBytes(), limit, query.maxBytes())));
    }
    turn.await(conn, limit);
    Claim claim = new Claim(query.claimAs(), query.now().truncatedTo(ChronoUnit.MICROS), 0);
    boolean places = partitioned.is(conn);
    return jdbc.query(
        conn,
        places ? PostgresPlans.BY_PLACE : PostgresPlans.BY_INDEX,
        context.waiting.reading(
            conn, places ? statements.claimInPartitionsSql : statements.claimSql),
        row -> found(row, claim),
        InLists.params(params, List.of(query.claimAs(), now, query.maxBytes(), limit, lockExpiry)));
  }

  private Found found(ResultSet row, Claim claim) throws SQLException {
    OutboxEvent event = context.columns.read(row, claim);
    boolean expired = row.getBoolean(EventColumns.COUNT + 1);
    return new Found(
        event,
        expired,
        expired ? context.instant(row, EventColumns.COUNT + 2) : event.availableAt(),
        RowSize.IN_MEMORY * row.getLong(EventColumns.COUNT + 3));
  }

  @Override
  Optional<Instant> nextDue(Connection conn, Instant now) {
    return jdbc.query(conn, nextDueSql, row -> context.instant(row, 1), context.time(now)).stream()
        .findFirst();
  }
}
