package io.outbox.jdbc.internal.operate;

import io.outbox.jdbc.JdbcTemplate;
import io.outbox.jdbc.internal.Product;
import io.outbox.jdbc.internal.StoreContext;
import io.outbox.jdbc.internal.count.EventCounts;
import io.outbox.jdbc.internal.count.Tally;
import io.outbox.jdbc.internal.schema.SchemaSnapshot;
import io.outbox.model.EventStatus;
import io.outbox.operate.Count;
import io.outbox.operate.DeliveryPause;
import io.outbox.operate.EventSummary;
import io.outbox.operate.LifecycleState;
import io.outbox.operate.Overview;
import io.outbox.operate.Overview.Throughput;
import io.outbox.spi.Member;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/** What is in the table: a statement to count, one for errors, however large it is. */
final class Overviews {

  /** How many of the newest RETRY and of the newest DEAD rows are asked for their errors. */
  private static final int ERRORS = 300;

  private static final Duration MINUTE = Duration.ofMinutes(1);

  private final StoreContext context;
  private final JdbcTemplate jdbc;
  private final EventCounts counts;
  private final String errorSql;

  Overviews(StoreContext context) {
    this.context = context;
    this.jdbc = context.template("look at errors");
    this.counts = EventCounts.of(context);
    boolean partial = context.product == Product.POSTGRESQL;
    this.errorSql =
        errors(EventStatus.DEAD, partial ? "created_at DESC, seq DESC" : "finished_at DESC")
            + " UNION ALL "
            + errors(EventStatus.RETRY, partial ? "available_at DESC" : "finished_at DESC");
  }

  private String errors(EventStatus status, String order) {
    return "(SELECT event_id, LEFT(last_error, %s) FROM %s WHERE status = %s ORDER BY %s LIMIT %s)"
        .formatted(
            EventSummary.ERROR_LENGTH, context.along("finished"), status.code(), order, ERRORS);
  }

  Overview read(
      Connection conn,
      Instant now,
      Instant leasedBefore,
      SchemaSnapshot schema,
      List<DeliveryPause> pauses,
      List<Member> members) {
    Tally counted = counts.tally(conn, now, leasedBefore, schema);
    Tally tally = counts.estimated(counted, schema);
    ErrorGroups errors = new ErrorGroups();
    jdbc.query(
        conn,
        errorSql,
        row -> {
          errors.add(row.getString(1), row.getString(2));
          return null;
        });
    return new Overview(
        now,
        tally.statuses(),
        states(tally),
        tally.oldestPending(),
        throughput(tally, now),
        tally.stuck(),
        tally.blocked(),
        errors.list(),
        errors.rows(),
        pauses,
        members);
  }

  private static Map<LifecycleState, Count> states(Tally tally) {
    return Map.of(
        LifecycleState.PENDING, tally.due(),
        LifecycleState.LEASED, tally.leased(),
        LifecycleState.DONE, tally.count(EventStatus.DONE),
        LifecycleState.DEAD, tally.count(EventStatus.DEAD));
  }

  /**
   * If few were delivered, they are those of a minute at least: one just now is not 1000 a second.
   */
  private static Throughput throughput(Tally tally, Instant now) {
    if (tally.delivered() == 0) {
      return null;
    }
    Duration shortest = tally.moreDelivered() ? Duration.ofMillis(1) : MINUTE;
    Duration since = Duration.between(tally.deliveredSince(), now);
    Duration over = since.compareTo(shortest) < 0 ? shortest : since;
    double perMinute = tally.delivered() * (double) MINUTE.toNanos() / over.toNanos();
    return new Throughput(perMinute, tally.delivered(), over);
  }
}
