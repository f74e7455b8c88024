package io.outbox.jdbc.internal.pending;

import static io.outbox.jdbc.internal.pending.PostgresFetchSql.DUE;
import static io.outbox.jdbc.internal.pending.PostgresFetchSql.LEASED;
import static io.outbox.jdbc.internal.pending.PostgresFetchSql.SET_CLAIM;

import io.outbox.jdbc.internal.EventColumns;
import io.outbox.jdbc.internal.EventColumns.Claim;
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
 * One statement chooses, locks, claims and returns. A row that changed since the snapshot is judged
 * anew when it is locked.
 */
public final class PostgresPendingEvents extends PendingEvents {

  private static final String ACTION = "read or claim pending events";

  private static final String WITHOUT = "AND " + PostgresRoutes.NONE_OF;

  private final PostgresPlans jdbc;
  private final PartitionedBySeq partitioned;
  private final ClaimTurn turn;
  private final String pollSql;
  private final String claimSql;
  private final PostgresFetchSql fetch;
  private final PostgresFetchSql fetchWithout;
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
    this.claimSql = claimSql(table);
    this.fetch = new PostgresFetchSql(context.table, "");
    this.fetchWithout = new PostgresFetchSql(context.table, WITHOUT);
    this.nextDueSql =
        "SELECT available_at FROM %s WHERE %s AND available_at > ? ORDER BY available_at LIMIT 1"
            .formatted(table, DUE);
  }

  private static String claimSql(String table) {
    return """
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
    PostgresFetchSql sql = query.without().isEmpty() ? fetch : fetchWithout;
    return query.claimAs() == null ? read(conn, sql, query, after) : claim(conn, sql, query, after);
  }

  private List<Found> read(
      Connection conn, PostgresFetchSql sql, PendingQuery query, PollCursor after) {
    List<Object> due = dueParams(conn, query, after);
    List<Object> params = expiredParams(conn, query, after);
    params.add(query.maxBytes());
    params.addAll(due);
    params.addAll(due);
    params.add(query.limit());
    params.addAll(due);
    Collections.addAll(params, query.maxBytes(), query.limit(), query.maxBytes());
    return jdbc.query(
        conn,
        PostgresPlans.READ_BY_INDEX,
        context.waiting.reading(conn, sql.read),
        row -> found(row, null),
        params.toArray());
  }

  private List<Found> claim(
      Connection conn, PostgresFetchSql sql, PendingQuery query, PollCursor after) {
    turn.await(conn, query.limit());
    Object now = context.time(query.now());
    List<Object> params = expiredParams(conn, query, after);
    params.add(query.limit());
    params.addAll(dueParams(conn, query, after));
    Collections.addAll(
        params,
        query.claimAs(),
        now,
        query.maxBytes(),
        query.limit(),
        context.time(query.lockExpiry()));
    Claim claim = new Claim(query.claimAs(), query.now().truncatedTo(ChronoUnit.MICROS), 0);
    boolean places = partitioned.is(conn);
    return jdbc.query(
        conn,
        places ? PostgresPlans.BY_PLACE : PostgresPlans.BY_INDEX,
        context.waiting.reading(conn, places ? sql.claimInPartitions : sql.claim),
        row -> found(row, claim),
        params.toArray());
  }

  private List<Object> expiredParams(Connection conn, PendingQuery query, PollCursor after) {
    List<Object> params = new ArrayList<>();
    Collections.addAll(
        params,
        position(after.leasedAt()),
        after.leasedSeq(),
        context.time(query.lockExpiry()),
        context.time(query.now()),
        context.time(query.createdUntil()));
    params.addAll(PostgresRoutes.params(conn, query.without()));
    params.add(query.limit());
    return params;
  }

  private List<Object> dueParams(Connection conn, PendingQuery query, PollCursor after) {
    List<Object> params = new ArrayList<>();
    Collections.addAll(
        params,
        position(after.dueAt()),
        after.dueSeq(),
        context.time(query.now()),
        context.time(query.createdUntil()));
    params.addAll(PostgresRoutes.params(conn, query.without()));
    params.add(query.limit());
    return params;
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
