package io.outbox.jdbc.internal.pending;

import io.outbox.jdbc.JdbcTemplate;
import io.outbox.jdbc.internal.EventColumns;
import io.outbox.jdbc.internal.EventColumns.Claim;
import io.outbox.jdbc.internal.InLists;
import io.outbox.jdbc.internal.StoreContext;
import io.outbox.model.OutboxEvent;
import io.outbox.spi.PendingQuery;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.List;

/** Locks rows by their keys, judges them, and writes claims into them; one transaction for all. */
final class RowClaims {

  /** Due and unleased, or with an expired lease; see {@link #claimableParams}. */
  static final String CLAIMABLE =
      "(due_at <= ? OR (leased_at < ? AND available_at <= ?)) AND created_at <= ?";

  private final StoreContext context;
  private final JdbcTemplate jdbc;
  private final String selectSql;
  private final String writeSql;

  RowClaims(StoreContext context) {
    this.context = context;
    this.jdbc = context.template("claim pending events");
    String table = context.byKey();
    this.selectSql =
        "SELECT %s FROM %s WHERE %s AND event_id IN ".formatted(EventColumns.ALL, table, CLAIMABLE);
    this.writeSql =
        """
        UPDATE %s SET locked_by = ?, locked_at = ?, lease_no = lease_no + 1, claims = claims + 1
        WHERE event_id IN \
        """
            .formatted(table);
  }

  /** The claim a query asks for; null if it only reads. */
  static Claim claim(PendingQuery query) {
    return query.claimAs() == null
        ? null
        : new Claim(query.claimAs(), query.now().truncatedTo(ChronoUnit.MICROS), 1);
  }

  List<Object> claimableParams(PendingQuery query) {
    Object now = context.time(query.now());
    return List.of(now, context.time(query.lockExpiry()), now, context.time(query.createdUntil()));
  }

  /** Locks those that can still be claimed and are not locked by others. */
  List<OutboxEvent> lock(Connection conn, PendingQuery query, List<String> eventIds)
      throws SQLException {
    context.locks.lock(jdbc, conn, context.table, eventIds);
    return select(conn, query, eventIds, context.locks.clause(conn));
  }

  /** Reads those that could still be claimed. */
  List<OutboxEvent> read(Connection conn, PendingQuery query, List<String> eventIds) {
    return select(conn, query, eventIds, "");
  }

  private List<OutboxEvent> select(
      Connection conn, PendingQuery query, List<String> eventIds, String end) {
    Claim claim = claim(query);
    return InLists.query(
        jdbc,
        conn,
        context.waiting.reading(conn, selectSql),
        eventIds.stream().sorted().toList(),
        end,
        row -> context.columns.read(row, claim),
        claimableParams(query).toArray());
  }

  /** Claims rows that are locked. */
  void write(Connection conn, PendingQuery query, List<OutboxEvent> locked) {
    List<Object> claim = Arrays.asList(query.claimAs(), context.time(query.now()));
    List<String> ids = locked.stream().map(OutboxEvent::eventId).sorted().toList();
    InLists.update(jdbc, conn, writeSql, claim, ids);
  }
}
