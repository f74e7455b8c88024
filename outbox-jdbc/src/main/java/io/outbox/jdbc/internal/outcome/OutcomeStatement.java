package io.outbox.jdbc.internal.outcome;

import static java.util.Comparator.naturalOrder;

import io.outbox.jdbc.JdbcTemplate;
import io.outbox.jdbc.internal.InLists;
import io.outbox.jdbc.internal.StoreContext;
import io.outbox.model.EventStatus;
import io.outbox.spi.Outcome;
import java.sql.Connection;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/** Writes outcomes of one kind to rows that are locked already. */
public interface OutcomeStatement {

  void write(Connection conn, EventStatus kind, List<Outcome> outcomes);

  /** One row at a time in a batch; enough where the database is in the process. */
  static OutcomeStatement batched(StoreContext context) {
    JdbcTemplate jdbc = context.template("write outcomes");
    return (conn, kind, outcomes) -> {
      String sql =
          "UPDATE %s SET %s WHERE event_id = ?"
              .formatted(
                  context.table,
                  assignments(kind, "", "?", "?", "?", context.waiting.isKept(conn)));
      List<Object[]> rows = new ArrayList<>();
      for (Outcome outcome : outcomes) {
        List<Object> params = values(context, outcome);
        params.add(outcome.eventId());
        rows.add(params.toArray());
      }
      jdbc.updateBatch(conn, sql, rows);
    };
  }

  /** All rows at once: one round trip, whatever the driver's settings. */
  static OutcomeStatement atOnce(StoreContext context) {
    OutcomeStatement done = listed(context);
    OutcomeStatement other = joined(context);
    return (conn, kind, outcomes) ->
        (kind == EventStatus.DONE ? done : other).write(conn, kind, outcomes);
  }

  /**
   * For successes, which differ in nothing but their attempts: nearly all are done at the first. A
   * join with as many SELECTs as rows costs the server more than the rows.
   */
  private static OutcomeStatement listed(StoreContext context) {
    LockedRows rows = new LockedRows(context, "write outcomes");
    return (conn, kind, outcomes) -> {
      String set = assignments(kind, "", "?", "?", "?", context.waiting.isKept(conn));
      outcomes.stream()
          .collect(Collectors.groupingBy(Outcome::attempts))
          .forEach(
              (attempts, alike) -> {
                Instant latest = alike.stream().map(Outcome::at).max(naturalOrder()).orElseThrow();
                List<Object> params = List.of(attempts, context.time(latest));
                rows.update(conn, set, params, alike.stream().map(Outcome::eventId).toList());
              });
    };
  }

  /** By a join with the values. */
  private static OutcomeStatement joined(StoreContext context) {
    JdbcTemplate jdbc = context.template("write outcomes");
    return (conn, kind, outcomes) -> {
      List<Outcome> padded = InLists.padded(outcomes);
      boolean error = hasError(kind);
      String first = "SELECT ? AS attempts, ? AS at_time" + (error ? ", ? AS error" : "");
      String next = " UNION ALL SELECT ?, ?" + (error ? ", ?" : "") + ", ?";
      String sql =
          "UPDATE (%s, ? AS event_id%s) o STRAIGHT_JOIN %s e ON e.event_id = o.event_id SET %s"
              .formatted(
                  first,
                  next.repeat(padded.size() - 1),
                  context.table,
                  assignments(
                      kind,
                      "e.",
                      "o.attempts",
                      "o.at_time",
                      "o.error",
                      context.waiting.isKept(conn)));
      List<Object> params = new ArrayList<>();
      for (Outcome outcome : padded) {
        params.addAll(values(context, outcome));
        params.add(outcome.eventId());
      }
      jdbc.update(conn, sql, params.toArray());
    };
  }

  private static List<Object> values(StoreContext context, Outcome outcome) {
    List<Object> values =
        new ArrayList<>(Arrays.asList(outcome.attempts(), context.time(outcome.at())));
    if (hasError(outcome.status())) {
      values.add(outcome.error());
    }
    return values;
  }

  private static boolean hasError(EventStatus kind) {
    return kind == EventStatus.RETRY || kind == EventStatus.DEAD;
  }

  private static String assignments(
      EventStatus kind, String alias, String attempts, String at, String error, boolean waiting) {
    List<String> assignments = new ArrayList<>();
    if (waiting) {
      // first, while the due time is the old one
      assignments.add(
          kind.isPending()
              ? "waiting_since = COALESCE(%1$swaiting_since, %1$savailable_at)".formatted(alias)
              : "waiting_since = NULL");
    }
    assignments.add("status = " + kind.code());
    assignments.add("attempts = " + attempts);
    assignments.add((kind.isPending() ? "available_at = " : "done_at = ") + at);
    if (hasError(kind)) {
      assignments.add("last_error = " + error);
    }
    assignments.addAll(List.of("locked_by = NULL", "locked_at = NULL", "claims = 0", "starts = 0"));
    return alias + String.join(", " + alias, assignments);
  }
}
