package io.outbox.jdbc.internal.operate;

import io.outbox.jdbc.JdbcTemplate;
import io.outbox.jdbc.internal.Conditions;
import io.outbox.jdbc.internal.InLists;
import io.outbox.jdbc.internal.StorableText;
import io.outbox.jdbc.internal.StoreContext;
import io.outbox.jdbc.internal.outcome.DeadEvents;
import io.outbox.model.EventStatus;
import io.outbox.model.Outcome;
import io.outbox.operate.EventSummary;
import io.outbox.operate.OperatorAction;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Does to rows what an operator wants: locks them by their ids, looks whether they are as they were
 * read, and writes, in one transaction.
 */
final class EventChanges {

  /** Stands between the reason of an operator and the error that was there before. */
  private static final String BEFORE = "\nLast error: ";

  private static final String NO_LEASE =
      "lease_no = lease_no + 1, locked_by = NULL, locked_at = NULL";

  private final StoreContext context;
  private final JdbcTemplate jdbc;
  private final String lockSql;
  private final String reasonSql;

  /** As much of a row as decides whether it may be changed. */
  private record Row(
      String eventId, int status, int attempts, long leaseNumber, String owner, Instant leasedAt) {}

  EventChanges(StoreContext context) {
    this.context = context;
    this.jdbc = context.template("change events");
    this.lockSql =
        "SELECT event_id, status, attempts, lease_no, locked_by, locked_at FROM %s%s WHERE event_id IN "
            .formatted(context.table, context.locks.forceIndex("PRIMARY"));
    String text =
        switch (context.product) {
          case POSTGRESQL -> "CAST(? AS text)";
          case MYSQL -> "CAST(? AS CHAR)";
          case H2 -> "CAST(? AS VARCHAR)";
        };
    this.reasonSql =
        "last_error = CASE WHEN last_error IS NULL OR CHAR_LENGTH(last_error) = 0 THEN %1$s"
                .formatted(text)
            + " ELSE LEFT(CONCAT(%s, last_error), %d) END"
                .formatted(text, Outcome.MAX_ERROR_LENGTH);
  }

  Set<String> change(
      Connection conn, OperatorAction action, List<EventSummary> events, Instant now) {
    Map<String, EventSummary> byId =
        events.stream()
            .collect(
                Collectors.toMap(
                    EventSummary::eventId, Function.identity(), (a, b) -> b, TreeMap::new));
    return context.atomically(
        action.name() + " events",
        conn,
        c -> {
          Set<String> changed = new HashSet<>();
          for (List<String> ids : InLists.chunks(byId.keySet())) {
            List<String> matching =
                lock(c, ids).stream()
                    .filter(row -> isOpenTo(action, row, byId.get(row.eventId())))
                    .map(Row::eventId)
                    .toList();
            write(c, action, matching, now);
            changed.addAll(matching);
          }
          return changed;
        });
  }

  private List<Row> lock(Connection conn, List<String> ids) throws SQLException {
    List<String> padded = InLists.padded(ids);
    String sql =
        lockSql
            + InLists.placeholders(padded.size())
            + " ORDER BY event_id"
            + context.locks.clause(conn);
    return jdbc.query(conn, sql, this::read, padded.toArray());
  }

  private Row read(ResultSet row) throws SQLException {
    return new Row(
        row.getString(1),
        row.getInt(2),
        row.getInt(3),
        row.getLong(4),
        row.getString(5),
        context.product.instant(row, 6));
  }

  private static boolean isOpenTo(OperatorAction action, Row row, EventSummary seen) {
    boolean same =
        row.status() == seen.status().code()
            && row.attempts() == seen.attempts()
            && row.leaseNumber() == seen.leaseNumber();
    return same && action.appliesTo().contains(seen.status()) && leaseFits(action, row, seen);
  }

  private static boolean leaseFits(OperatorAction action, Row row, EventSummary seen) {
    if (action instanceof OperatorAction.Reschedule) {
      return row.owner() == null;
    }
    if (action instanceof OperatorAction.Release) {
      // One that was renewed since is not stuck.
      return row.owner() != null
          && (row.leasedAt() == null || row.leasedAt().equals(seen.lockedAt()));
    }
    return true;
  }

  private void write(Connection conn, OperatorAction action, List<String> ids, Instant now) {
    if (ids.isEmpty()) {
      return;
    }
    List<String> padded = InLists.padded(ids);
    if (action instanceof OperatorAction.Purge) {
      jdbc.update(conn, context.locks.deleteByKey(context.table, padded.size()), padded.toArray());
      return;
    }
    Conditions set = assignments(action, now);
    boolean ends = action instanceof OperatorAction.Replay || action instanceof OperatorAction.Kill;
    String mark = ends ? context.waiting.clear(conn) : "";
    String sql =
        "UPDATE %s%s SET %s WHERE event_id IN %s"
            .formatted(
                context.table,
                context.locks.forceIndex("PRIMARY"),
                mark + set.list(),
                InLists.placeholders(padded.size()));
    jdbc.update(conn, sql, InLists.params(set.params(), padded));
  }

  private Conditions assignments(OperatorAction action, Instant now) {
    Conditions set = new Conditions();
    if (action instanceof OperatorAction.Replay) {
      set.add(DeadEvents.NEW_LIFE, time(now), time(now));
    } else if (action instanceof OperatorAction.Kill kill) {
      set.add(NO_LEASE).add("claims = 0, starts = 0, status = " + EventStatus.DEAD.code());
      String reason = StorableText.error(kill.reason());
      set.add("done_at = ?", time(now)).add(reasonSql, reason, reason + BEFORE);
    } else if (action instanceof OperatorAction.Release) {
      set.add(NO_LEASE); // not the claims: whoever lost it may have died of it
    } else if (action instanceof OperatorAction.Reschedule reschedule) {
      // An event that has been waiting since it was due goes on waiting.
      set.add("available_at = ?", time(reschedule.at()));
    } else {
      throw new IllegalArgumentException("nothing is known of " + action);
    }
    return set;
  }

  private Object time(Instant at) {
    return context.product.parameter(at);
  }
}
