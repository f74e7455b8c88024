package io.outbox.jdbc.internal.operate;

import io.outbox.jdbc.internal.Conditions;
import io.outbox.jdbc.internal.StorableText;
import io.outbox.jdbc.internal.StoreContext;
import io.outbox.jdbc.internal.outcome.DeadEvents;
import io.outbox.jdbc.internal.outcome.LockedRows;
import io.outbox.jdbc.internal.outcome.RowState;
import io.outbox.model.EventStatus;
import io.outbox.operate.EventSummary;
import io.outbox.operate.OperatorAction;
import io.outbox.spi.Outcome;
import java.sql.Connection;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
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
  private final LockedRows rows;
  private final String reasonSql;

  EventChanges(StoreContext context) {
    this.context = context;
    this.rows = new LockedRows(context, "change events");
    String text =
        switch (context.product.family()) {
          case POSTGRESQL -> "CAST(? AS text)";
          case MYSQL -> "CAST(? AS CHAR)";
          case H2, OTHER -> "CAST(? AS VARCHAR)";
        };
    this.reasonSql =
        "last_error = CASE WHEN last_error IS NULL OR CHAR_LENGTH(last_error) = 0 THEN %1$s"
                .formatted(text)
            + " ELSE LEFT(CONCAT(%s, last_error), %s) END"
                .formatted(text, Outcome.MAX_ERROR_LENGTH);
  }

  Set<String> change(
      Connection conn, OperatorAction action, List<EventSummary> events, Instant now) {
    Map<String, EventSummary> byId =
        events.stream()
            .collect(Collectors.toMap(EventSummary::eventId, Function.identity(), (a, b) -> b));
    return rows.change(
        action.name() + " events",
        conn,
        byId.keySet(),
        row -> isOpenTo(action, row, byId.get(row.eventId())),
        (c, ids) -> write(c, action, ids, now));
  }

  private static boolean isOpenTo(OperatorAction action, RowState row, EventSummary seen) {
    boolean same =
        row.status() == seen.status().code()
            && row.attempts() == seen.attempts()
            && row.leaseNumber() == seen.leaseNumber();
    return same && action.appliesTo().contains(seen.status()) && leaseFits(action, row, seen);
  }

  private static boolean leaseFits(OperatorAction action, RowState row, EventSummary seen) {
    if (action instanceof OperatorAction.Reschedule) {
      return row.lockedBy() == null;
    }
    if (action instanceof OperatorAction.Release) {
      // One that was renewed since is not stuck.
      return row.lockedBy() != null
          && (row.lockedAt() == null || row.lockedAt().equals(seen.lockedAt()));
    }
    return true;
  }

  private void write(Connection conn, OperatorAction action, List<String> ids, Instant now) {
    if (action instanceof OperatorAction.Purge) {
      rows.delete(conn, ids);
      return;
    }
    Conditions set = assignments(action, now);
    boolean ends = action instanceof OperatorAction.Replay || action instanceof OperatorAction.Kill;
    String mark = ends ? context.waiting.clear(conn) : "";
    rows.update(conn, mark + set.list(), set.params(), ids);
  }

  private Conditions assignments(OperatorAction action, Instant now) {
    Conditions set = new Conditions();
    if (action instanceof OperatorAction.Replay) {
      set.add(DeadEvents.NEW_LIFE, context.time(now), context.time(now));
    } else if (action instanceof OperatorAction.Kill kill) {
      set.add(NO_LEASE).add("claims = 0, starts = 0, status = " + EventStatus.DEAD.code());
      String reason = StorableText.error(kill.reason());
      set.add("done_at = ?", context.time(now)).add(reasonSql, reason, reason + BEFORE);
    } else if (action instanceof OperatorAction.Release) {
      set.add(NO_LEASE); // not the claims: the former owner may have died of it
    } else if (action instanceof OperatorAction.Reschedule reschedule) {
      // An event that has been waiting since it was due goes on waiting.
      set.add("available_at = ?", context.time(reschedule.at()));
      if (reschedule.at().isAfter(now)) {
        set.add("lease_no = lease_no + 1"); // the outcome of who has it now must not end it
      }
    } else {
      throw new IllegalArgumentException("nothing is known of " + action);
    }
    return set;
  }
}
