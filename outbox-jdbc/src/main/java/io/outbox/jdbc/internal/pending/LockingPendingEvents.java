package io.outbox.jdbc.internal.pending;

import io.outbox.jdbc.JdbcTemplate;
import io.outbox.jdbc.internal.EventColumns;
import io.outbox.jdbc.internal.InLists;
import io.outbox.jdbc.internal.RouteLists;
import io.outbox.jdbc.internal.RowSize;
import io.outbox.jdbc.internal.StoreContext;
import io.outbox.model.OutboxEvent;
import io.outbox.spi.PendingQuery;
import io.outbox.spi.PollCursor;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

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

  /** A row that was not read yet. */
  private record Seen(String eventId, boolean leaseExpired, Instant position, long seq, long bytes)
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
        ORDER BY created_at, seq%s
        """
            .formatted(EventColumns.ALL, table, context.product.limit());
    this.candidateSql =
        """
        SELECT event_id, created_at, seq FROM %s
        WHERE %s AND created_at >= ? AND (created_at > ? OR seq > ?)
        ORDER BY created_at, seq%s
        """
            .formatted(table, RowClaims.CLAIMABLE, context.product.limit());
    this.expiredSql = new PartSql("leased_at", "leased", "leased_at < ? AND available_at <= ?");
    this.dueSql = new PartSql("due_at", "due", "due_at <= ?");
    this.nextDueSql =
        "SELECT due_at FROM %s WHERE due_at > ? ORDER BY due_at%s"
            .formatted(context.along("due"), context.product.limit(1));
  }

  /** The statement for one part, with or without routes to leave out. */
  private final class PartSql {
    private final String start;
    private final String end;

    /** MySQL reads a range of the index only if the cursor is spelled out like this. */
    PartSql(String column, String index, String condition) {
      start =
          """
          SELECT event_id, %1$s, seq, %2$s FROM %3$s
          WHERE %1$s >= ? AND ((%1$s = ? AND seq > ?) OR %1$s > ?) AND %4$s AND created_at <= ?\
          """
              .formatted(column, RowSize.of(context.product), context.along(index), condition);
      end = " ORDER BY " + column + ", seq" + context.product.limit();
    }

    String without(RouteLists routes) {
      return start + routes.sql() + end;
    }
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
      try {
        return lookThenRead(conn, query, after, claims::read);
      } catch (SQLException e) {
        throw context.errors.describe(ACTION, e);
      }
    }
    return context.atomically(
        ACTION,
        conn,
        c -> {
          List<Found> found = lookThenRead(c, query, after, claims::lock);
          claims.write(c, query, found.stream().map(Found::event).toList());
          return found;
        });
  }

  private interface Rows {
    /** Those that can still be delivered. */
    List<OutboxEvent> of(Connection conn, PendingQuery query, List<String> eventIds)
        throws SQLException;
  }

  /**
   * First how large the rows are, then those that fit. H2 sorts whenever it locks, even by the
   * order of an index: see {@link #claim}. Of expired leases MySQL would lock entries of the index
   * that are of no interest, and wait for those of rows whose outcome is being written, which in
   * turn waits for them. Due rows it locks at the first look: nodes that look at the same time
   * would all read the same rows, and all but one for nothing.
   */
  private List<Found> lookThenRead(Connection conn, PendingQuery query, PollCursor after, Rows rows)
      throws SQLException {
    List<Found> found = new ArrayList<>();
    Set<String> once = new HashSet<>(); // given back meanwhile, a leased row is seen as due, too
    PollCursor cursor = after;
    long bytes = 0;
    while (found.size() < query.limit() && bytes < query.maxBytes()) {
      int wanted = query.limit() - found.size();
      List<Seen> seen = look(conn, query.withLimit(wanted), cursor);
      List<Seen> fitting = fitting(seen, query.maxBytes() - bytes);
      Map<String, OutboxEvent> read = new HashMap<>();
      rows.of(conn, query, fitting.stream().map(Seen::eventId).toList())
          .forEach(event -> read.put(event.eventId(), event));
      for (Seen row : fitting) {
        OutboxEvent event = read.get(row.eventId());
        if (event != null && once.add(row.eventId())) {
          bytes += row.bytes();
          found.add(new Found(event, row.leaseExpired(), row.position(), bytes));
        }
      }
      if (fitting.size() < wanted && fitting.size() == seen.size()) {
        break;
      }
      cursor = advance(cursor, fitting);
    }
    return found;
  }

  /** The first, and those in front of which there is room. */
  private static List<Seen> fitting(List<Seen> seen, long maxBytes) {
    long bytes = 0;
    for (int i = 0; i < seen.size(); i++) {
      if (bytes >= maxBytes) {
        return seen.subList(0, i);
      }
      bytes += seen.get(i).bytes();
    }
    return seen;
  }

  private List<Seen> look(Connection conn, PendingQuery query, PollCursor after)
      throws SQLException {
    Object now = context.time(query.now());
    List<Seen> seen =
        look(
            conn,
            query,
            expiredSql,
            "",
            query.limit(),
            position(after.leasedAt()),
            after.leasedSeq(),
            List.of(context.time(query.lockExpiry()), now));
    if (seen.size() < query.limit()) {
      seen.addAll(
          look(
              conn,
              query,
              dueSql,
              query.claimAs() == null ? "" : context.locks.alongIndex(conn),
              query.limit() - seen.size(),
              position(after.dueAt()),
              after.dueSeq(),
              List.of(now)));
    }
    return seen;
  }

  private List<Seen> look(
      Connection conn,
      PendingQuery query,
      PartSql part,
      String lock,
      int limit,
      Object after,
      long afterSeq,
      List<Object> bounds) {
    RouteLists without = new RouteLists(query.without());
    List<Object> params = new ArrayList<>(List.of(after, after, afterSeq, after));
    params.addAll(bounds);
    params.add(context.time(query.createdUntil()));
    return jdbc.query(
        conn,
        part.without(without) + lock,
        row ->
            new Seen(
                row.getString(1),
                part == expiredSql,
                context.instant(row, 2),
                row.getLong(3),
                RowSize.IN_MEMORY * row.getLong(4)),
        InLists.params(params, without.params(), limit));
  }

  @Override
  Optional<Instant> nextDue(Connection conn, Instant now) {
    return jdbc.query(conn, nextDueSql, row -> context.instant(row, 1), context.time(now)).stream()
        .findFirst();
  }
}
