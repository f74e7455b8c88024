package io.outbox.jdbc.internal.pending;

import io.outbox.jdbc.JdbcTemplate;
import io.outbox.jdbc.internal.EventColumns;
import io.outbox.jdbc.internal.InLists;
import io.outbox.jdbc.internal.RouteLists;
import io.outbox.jdbc.internal.StoreContext;
import io.outbox.model.OutboxEvent;
import io.outbox.spi.PendingQuery;
import io.outbox.spi.PollCursor;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * For databases without RETURNING: locks the rows, then updates them by primary key, in one
 * transaction. The generated columns due_at and leased_at are null where a row is not pending.
 */
public final class LockingPendingEvents extends PendingEvents {

  private static final String ACTION = "read or claim pending events";

  private final RowClaims claims;
  private final JdbcTemplate jdbc;
  private final String pollSql;
  private final String candidateSql;
  private final PartSql expiredSql;
  private final PartSql dueSql;
  private final String nextDueSql;

  private record Candidate(String eventId, Instant createdAt, long seq) {}

  /** A row that was not locked yet. */
  private record Seen(String eventId, boolean leaseExpired, Instant position, long seq)
      implements Place {}

  public LockingPendingEvents(StoreContext context) {
    super(context);
    this.claims = new RowClaims(context);
    this.jdbc = context.template(ACTION);
    String table = context.table.toString();
    this.pollSql =
        """
        SELECT %s FROM %s
        WHERE (due_at <= ? OR (leased_at IS NOT NULL AND available_at <= ?)) AND created_at <= ?
        ORDER BY created_at, seq LIMIT ?
        """
            .formatted(EventColumns.ALL, table);
    this.candidateSql =
        """
        SELECT event_id, created_at, seq FROM %s
        WHERE %s AND created_at >= ? AND (created_at > ? OR seq > ?)
        ORDER BY created_at, seq LIMIT ?
        """
            .formatted(table, RowClaims.CLAIMABLE);
    this.expiredSql =
        new PartSql(
            "leased_at", "leased", "leased_at < ? AND available_at <= ?", EventColumns.LOCKED_AT);
    this.dueSql = new PartSql("due_at", "due", "due_at <= ?", EventColumns.AVAILABLE_AT);
    this.nextDueSql =
        "SELECT due_at FROM %s%s WHERE due_at > ? ORDER BY due_at LIMIT 1"
            .formatted(table, forceIndex("due"));
  }

  /** The statements for one part. */
  private final class PartSql {
    private final String column;
    private final int position;
    private final String from;

    /** MySQL reads a range of the index only if the cursor is spelled out like this. */
    PartSql(String column, String index, String condition, int position) {
      this.column = column;
      this.position = position;
      this.from =
          """
           FROM %1$s%2$s
          WHERE %3$s >= ? AND ((%3$s = ? AND seq > ?) OR %3$s > ?) AND %4$s AND created_at <= ?\
          """
              .formatted(context.table, forceIndex(index), column, condition);
    }

    /** With or without routes to leave out. */
    String select(String columns, RouteLists without) {
      return "SELECT " + columns + from + without.sql() + " ORDER BY " + column + ", seq LIMIT ?";
    }
  }

  private String forceIndex(String suffix) {
    return context.locks.forceIndex(context.table.derived(suffix));
  }

  @Override
  public List<OutboxEvent> poll(Connection conn, PendingQuery query) {
    Object now = context.time(query.now());
    return jdbc.query(
        conn,
        context.waiting.reading(conn, pollSql),
        context.columns::read,
        now,
        now,
        context.time(query.createdUntil()),
        query.limit());
  }

  /**
   * A locking read that sorts would lock every row it sorts; so candidates are read without a lock,
   * then locked by their keys and judged again, until there are enough.
   */
  @Override
  public List<OutboxEvent> claim(Connection conn, PendingQuery query) {
    return context.atomically(
        ACTION,
        conn,
        c -> {
          List<OutboxEvent> claimed = new ArrayList<>();
          Candidate last = null;
          while (claimed.size() < query.limit()) {
            int wanted = query.limit() - claimed.size();
            List<Candidate> candidates = candidates(c, query, last, wanted);
            claimed.addAll(
                claims.lock(c, query, candidates.stream().map(Candidate::eventId).toList()));
            if (candidates.size() < wanted) {
              break;
            }
            last = candidates.get(candidates.size() - 1);
          }
          claims.write(c, query, claimed);
          claimed.sort(OLDEST_FIRST);
          return claimed;
        });
  }

  private List<Candidate> candidates(
      Connection conn, PendingQuery query, Candidate after, int limit) {
    Object createdAfter = position(after == null ? null : after.createdAt());
    return jdbc.query(
        conn,
        candidateSql,
        row -> new Candidate(row.getString(1), context.instant(row, 2), row.getLong(3)),
        InLists.params(
            claims.claimableParams(query),
            List.of(createdAfter, createdAfter, after == null ? 0L : after.seq(), limit)));
  }

  @Override
  List<Found> select(Connection conn, PendingQuery query, PollCursor after) {
    if (query.claimAs() == null) {
      return read(conn, query, after);
    }
    return context.atomically(
        ACTION,
        conn,
        c -> {
          List<Found> found = readThenLock(c, query, after);
          claims.write(c, query, found.stream().map(Found::event).toList());
          return found;
        });
  }

  /**
   * H2 sorts whenever it locks, even by the order of an index: see {@link #claim}. MySQL would lock
   * entries of the index that are of no interest, and wait for those of rows whose outcome is being
   * written, which in turn waits for them.
   */
  private List<Found> readThenLock(Connection conn, PendingQuery query, PollCursor after)
      throws SQLException {
    List<Found> found = new ArrayList<>();
    PollCursor cursor = after;
    while (found.size() < query.limit()) {
      int wanted = query.limit() - found.size();
      List<Seen> seen = look(conn, query.withLimit(wanted), cursor);
      Map<String, OutboxEvent> locked = new HashMap<>();
      claims
          .lock(conn, query, seen.stream().map(Seen::eventId).toList())
          .forEach(event -> locked.put(event.eventId(), event));
      for (Seen row : seen) {
        OutboxEvent event = locked.get(row.eventId());
        if (event != null) {
          found.add(new Found(event, row.leaseExpired(), row.position()));
        }
      }
      if (seen.size() < wanted) {
        break;
      }
      cursor = advance(cursor, seen);
    }
    return found;
  }

  private List<Found> read(Connection conn, PendingQuery query, PollCursor after) {
    return both(
        conn,
        query,
        after,
        part -> context.waiting.reading(conn, EventColumns.ALL),
        part ->
            row ->
                new Found(
                    context.columns.read(row),
                    part == expiredSql,
                    context.instant(row, part.position)));
  }

  /** Only what it takes to lock them: they are read when they are locked. */
  private List<Seen> look(Connection conn, PendingQuery query, PollCursor after) {
    return both(
        conn,
        query,
        after,
        part -> "event_id, " + part.column + ", seq",
        part ->
            row ->
                new Seen(
                    row.getString(1), part == expiredSql, context.instant(row, 2), row.getLong(3)));
  }

  private <T> List<T> both(
      Connection conn,
      PendingQuery query,
      PollCursor after,
      Function<PartSql, String> columns,
      Function<PartSql, JdbcTemplate.RowMapper<T>> rows) {
    RouteLists without = new RouteLists(query.without());
    Object now = context.time(query.now());
    Object createdUntil = context.time(query.createdUntil());
    Object leasedAt = position(after.leasedAt());
    List<T> found =
        new ArrayList<>(
            jdbc.query(
                conn,
                expiredSql.select(columns.apply(expiredSql), without),
                rows.apply(expiredSql),
                InLists.params(
                    List.of(
                        leasedAt,
                        leasedAt,
                        after.leasedSeq(),
                        leasedAt,
                        context.time(query.lockExpiry()),
                        now,
                        createdUntil),
                    without.params(),
                    query.limit())));
    if (found.size() < query.limit()) {
      Object dueAt = position(after.dueAt());
      found.addAll(
          jdbc.query(
              conn,
              dueSql.select(columns.apply(dueSql), without),
              rows.apply(dueSql),
              InLists.params(
                  List.of(dueAt, dueAt, after.dueSeq(), dueAt, now, createdUntil),
                  without.params(),
                  query.limit() - found.size())));
    }
    return found;
  }

  @Override
  Optional<Instant> nextDue(Connection conn, Instant now) {
    return jdbc.query(conn, nextDueSql, row -> context.instant(row, 1), context.time(now)).stream()
        .findFirst();
  }
}
