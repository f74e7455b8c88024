package io.outbox.jdbc.store;

import io.outbox.jdbc.JdbcTemplate;
import io.outbox.jdbc.internal.Product;
import io.outbox.model.Backlog;
import io.outbox.model.EventStatus;
import java.sql.Connection;
import java.time.Instant;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Looks at the table with bounded effort: each part is read from its index, up to a cap. */
final class BacklogCounts {

  private final StoreContext context;
  private final JdbcTemplate jdbc;
  private final String countSql;
  private final String oldestSql;

  private record StatusCount(EventStatus status, long count) {}

  BacklogCounts(StoreContext context) {
    this.context = context;
    this.jdbc = context.template("count events");
    boolean postgres = context.product == Product.POSTGRESQL;
    Stream<String> parts =
        postgres
            ? Stream.of(
                "status IN (0, 2) AND locked_by IS NULL AND available_at > '-infinity'",
                "status IN (0, 2) AND locked_by IS NOT NULL AND locked_at > '-infinity'",
                "status IN (1, 3) AND status = 1 AND coalesce(done_at, created_at) > '-infinity'",
                "status = 3 AND created_at > '-infinity'")
            : Stream.of("due_at IS NOT NULL", "leased_at IS NOT NULL", "status = 1", "status = 3");
    this.countSql =
        parts
            .map("(SELECT status FROM %s WHERE %%s LIMIT ?)".formatted(context.table)::formatted)
            .collect(
                Collectors.joining(
                    " UNION ALL ", "SELECT status, count(*) FROM (", ") counted GROUP BY status"));
    this.oldestSql =
        postgres
            ? "SELECT available_at FROM %s WHERE status IN (0, 2) AND locked_by IS NULL"
                .concat(" ORDER BY available_at LIMIT 1")
                .formatted(context.table)
            : "SELECT due_at FROM %s WHERE due_at IS NOT NULL ORDER BY due_at LIMIT 1"
                .formatted(context.table);
  }

  Backlog count(Connection conn, int cap) {
    Map<EventStatus, Long> counts = new EnumMap<>(EventStatus.class);
    for (StatusCount row :
        jdbc.query(
            conn,
            countSql,
            row -> new StatusCount(EventStatus.fromCode(row.getInt(1)), row.getLong(2)),
            cap,
            cap,
            cap,
            cap)) {
      counts.put(row.status, row.count);
    }
    List<Instant> oldest = jdbc.query(conn, oldestSql, row -> context.product.instant(row, 1));
    return new Backlog(counts, cap, oldest.isEmpty() ? null : oldest.get(0));
  }
}
