package io.outbox.benchmarks;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;

/**
 * Looks at the outbox table again and again: its size, its rows, how many events were delivered by
 * then, and how often it was vacuumed. It counts partitions that were dropped meanwhile. Not
 * thread-safe.
 */
final class TableHistory {

  private static final double MB = 1048576;

  /** The time of autovacuum is there since PostgreSQL 18. */
  private static final String TABLES =
      """
      SELECT c.oid, pg_table_size(c.oid), pg_indexes_size(c.oid), s.n_live_tup, s.n_dead_tup,
        s.autovacuum_count, (to_jsonb(s) ->> 'total_autovacuum_time')::float
      FROM pg_class c JOIN pg_stat_user_tables s ON s.relid = c.oid
      WHERE c.relkind = 'r' AND (c.oid = 'outbox_event'::regclass
        OR c.oid IN (SELECT inhrelid FROM pg_inherits WHERE inhparent = 'outbox_event'::regclass))
      """;

  /** What one look saw; sizes are in MB. */
  record Sample(
      double second,
      long delivered,
      int tables,
      double heap,
      double indexes,
      long live,
      long dead) {

    double size() {
      return heap + indexes;
    }

    String sizes() {
      return "%.1f MB (table %.1f, indexes %.1f)".formatted(size(), heap, indexes);
    }
  }

  /** How often a table was vacuumed, and for how many milliseconds; null: it cannot be told. */
  private record Vacuums(long count, Double millis) {}

  private final DataSource pool;
  private final List<Sample> samples = new ArrayList<>();
  private final Map<Long, Vacuums> vacuums = new HashMap<>();

  TableHistory(DataSource pool) {
    this.pool = pool;
  }

  Sample look(double second, long delivered) throws SQLException {
    int tables = 0;
    long heap = 0;
    long indexes = 0;
    long live = 0;
    long dead = 0;
    try (Connection conn = pool.getConnection();
        Statement statement = conn.createStatement();
        ResultSet row = statement.executeQuery(TABLES)) {
      while (row.next()) {
        tables++;
        // One that is dropped at this moment has no size: null, which is read as 0.
        heap += row.getLong(2);
        indexes += row.getLong(3);
        live += row.getLong(4);
        dead += row.getLong(5);
        vacuums.put(row.getLong(1), new Vacuums(row.getLong(6), row.getObject(7, Double.class)));
      }
    }
    Sample sample = new Sample(second, delivered, tables, heap / MB, indexes / MB, live, dead);
    samples.add(sample);
    return sample;
  }

  /** Events delivered per second in the first {@code seconds}. */
  double firstRate(double seconds) {
    Sample start = samples.get(0);
    return rate(start, at(start.second() + seconds));
  }

  /** Events delivered per second in the last {@code seconds}. */
  double lastRate(double seconds) {
    Sample end = last();
    return rate(at(end.second() - seconds), end);
  }

  private static double rate(Sample from, Sample to) {
    return (to.delivered() - from.delivered()) / (to.second() - from.second());
  }

  /** The one that is closest to a moment. */
  private Sample at(double second) {
    Sample closest = samples.get(0);
    for (Sample sample : samples) {
      if (Math.abs(sample.second() - second) < Math.abs(closest.second() - second)) {
        closest = sample;
      }
    }
    return closest;
  }

  Sample last() {
    return samples.get(samples.size() - 1);
  }

  /** In the first, the largest and the last sample. */
  String sizes() {
    Sample highest = samples.get(0);
    for (Sample sample : samples) {
      highest = sample.size() > highest.size() ? sample : highest;
    }
    return "start %s, highest %s after %.0f s, end %s"
        .formatted(samples.get(0).sizes(), highest.sizes(), highest.second(), last().sizes());
  }

  String deadRows() {
    long highest = samples.stream().mapToLong(Sample::dead).max().orElse(0);
    double mean = samples.stream().mapToLong(Sample::dead).average().orElse(0);
    return "mean %,.0f, highest %,d, end %,d".formatted(mean, highest, last().dead());
  }

  String autovacuum() {
    long count = vacuums.values().stream().mapToLong(Vacuums::count).sum();
    boolean timed = vacuums.values().stream().allMatch(vacuum -> vacuum.millis() != null);
    double millis = timed ? vacuums.values().stream().mapToDouble(Vacuums::millis).sum() : 0;
    return "%,d runs%s"
        .formatted(count, timed ? ", %.1f s in all".formatted(millis / 1e3) : ", time unknown");
  }
}
