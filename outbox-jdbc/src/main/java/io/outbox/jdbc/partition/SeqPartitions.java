package io.outbox.jdbc.partition;

import io.outbox.jdbc.JdbcTemplate;
import io.outbox.jdbc.OutboxStoreException;
import io.outbox.jdbc.internal.Product;
import io.outbox.jdbc.internal.StoreErrors;
import io.outbox.jdbc.internal.TableName;
import io.outbox.jdbc.partition.Layout.Range;
import java.sql.Connection;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/** The statements for the partitions of one table by {@code seq}, on PostgreSQL. */
final class SeqPartitions {

  private static final String LAST =
      "SELECT coalesce(pg_sequence_last_value(pg_get_serial_sequence(?, 'seq')::regclass), 0)";

  private static final String BOUNDS =
      """
      SELECT c.oid::regclass::text, pg_get_expr(c.relpartbound, c.oid)
      FROM pg_partitioned_table t
      JOIN pg_inherits i ON i.inhparent = t.partrelid
      JOIN pg_class c ON c.oid = i.inhrelid
      WHERE t.partrelid = to_regclass(?) AND pg_get_partkeydef(t.partrelid) = 'RANGE (seq)'
      """;

  /** Each has an index. Nothing pending or unknown is in {@link #ENDED_LATELY}. */
  private static final String WAITING_DUE = "status IN (0, 2) AND locked_by IS NULL";

  private static final String WAITING_LEASED = "status IN (0, 2) AND locked_by IS NOT NULL";
  private static final String UNKNOWN = "status NOT IN (0, 1, 2, 3)";
  private static final String ENDED_LATELY =
      "status IN (1, 3) AND coalesce(done_at, created_at) >= ?";

  private final TableName table;
  private final JdbcTemplate jdbc;

  SeqPartitions(TableName table) {
    this.table = table;
    this.jdbc = new StoreErrors(Product.POSTGRESQL, table).template("rotate partitions");
  }

  Optional<Layout> find(Connection conn) {
    Map<String, String> bounds = new HashMap<>();
    jdbc.query(
        conn, BOUNDS, row -> bounds.put(row.getString(1), row.getString(2)), table.toString());
    // One that was dropped at this moment has none.
    bounds.values().removeIf(Objects::isNull);
    return bounds.isEmpty() ? Optional.empty() : Layout.of(bounds, last(conn));
  }

  private long last(Connection conn) {
    return jdbc.query(conn, LAST, row -> row.getLong(1), table.toString()).get(0);
  }

  Layout layout(Connection conn) {
    return find(conn)
        .orElseThrow(
            () ->
                new OutboxStoreException(
                    "table %s is missing, or is not in partitions by seq: PartitionRotation.create makes one"
                        .formatted(table)));
  }

  /**
   * Until the end of the transaction. A node that vanishes with its locks does not keep them.
   *
   * @return false if another node is at it
   */
  boolean lockOut(Connection conn, long maxMillis) {
    String isolation =
        jdbc.query(
                conn,
                """
                SELECT current_setting('transaction_isolation'),
                  set_config('lock_timeout', ?, true), set_config('enable_seqscan', 'off', true),
                  set_config('idle_in_transaction_session_timeout', '5s', true)
                """,
                row -> row.getString(1),
                maxMillis + "ms")
            .get(0);
    // With a snapshot from before a lock, it would not see what was committed in between.
    if (!isolation.startsWith("read ")) {
      throw new OutboxStoreException(
          "the partitions of %s are changed in READ COMMITTED transactions only, and this one is %s;"
                  .formatted(table, isolation)
              + " make READ COMMITTED the default of its connections");
    }
    return jdbc.query(
            conn,
            "SELECT pg_try_advisory_xact_lock("
                + "hashtextextended('outbox partitions of ' || to_regclass(?)::oid, 0))",
            row -> row.getBoolean(1),
            table.toString())
        .get(0);
  }

  /**
   * Creates it beside the others and attaches it: unlike PARTITION OF, this does not make those
   * wait who write to the table.
   */
  void create(Connection conn, Layout layout, Range range) {
    TableName name = table.sibling("s" + range.from());
    jdbc.update(
        conn,
        """
        CREATE TABLE %s (LIKE %s INCLUDING DEFAULTS INCLUDING CONSTRAINTS, PRIMARY KEY (event_id)) %s
        """
            .formatted(name, table, storage(conn, layout.kept())));
    jdbc.update(
        conn,
        "ALTER TABLE %s ATTACH PARTITION %s FOR VALUES FROM (%s) TO (%s)"
            .formatted(table, name, range.from(), range.to()));
  }

  /** As that of another partition, which an operator may have tuned. */
  private String storage(Connection conn, String partition) {
    return jdbc.query(
            conn,
            "SELECT array_to_string(reloptions, ', ') FROM pg_class WHERE oid = to_regclass(?)",
            row -> Optional.ofNullable(row.getString(1)),
            partition)
        .get(0)
        .map("WITH (%s)"::formatted)
        .orElse("");
  }

  /** How many events of a partition wait, up to {@code max}. */
  int waiting(Connection conn, Range range, int max) {
    return jdbc.query(
            conn,
            """
            SELECT count(*) FROM (
              (SELECT 1 FROM %1$s WHERE %2$s LIMIT %5$s) UNION ALL
              (SELECT 1 FROM %1$s WHERE %3$s LIMIT %5$s) UNION ALL
              (SELECT 1 FROM %1$s WHERE %4$s LIMIT %5$s)) w
            """
                .formatted(range.name(), WAITING_DUE, WAITING_LEASED, UNKNOWN, max),
            row -> Math.min(max, row.getInt(1)))
        .get(0);
  }

  /** How many events of a partition ended since an instant, up to {@code max}. */
  int endedSince(Connection conn, Range range, Instant since, int max) {
    return jdbc.query(
            conn,
            "SELECT count(*) FROM (SELECT 1 FROM %s WHERE %s LIMIT %s) w"
                .formatted(range.name(), ENDED_LATELY, max),
            row -> row.getInt(1),
            Product.POSTGRESQL.parameter(since))
        .get(0);
  }

  /** How many events before {@code to} are in the default partition, up to {@code max}. */
  int withoutPartition(Connection conn, Layout layout, long to, int max) {
    return jdbc.query(
            conn,
            "SELECT count(*) FROM (SELECT 1 FROM %s WHERE seq < ? LIMIT %s) w"
                .formatted(layout.others(), max),
            row -> row.getInt(1),
            to)
        .get(0);
  }

  /**
   * Drops a partition, the oldest one, and keeps those of its events that wait or ended since an
   * instant. Their numbers stay, and so does the order of each key; the kept partition grows to
   * take them. Nobody reads or writes the table meanwhile, so that nobody misses a row on its way.
   *
   * @return how many were kept
   */
  int drop(Connection conn, Layout layout, Range oldest, Instant since) {
    // First the table that all others begin with. Who has one of the rest is no short transaction.
    jdbc.update(conn, "LOCK TABLE ONLY %s IN ACCESS EXCLUSIVE MODE".formatted(table));
    jdbc.update(
        conn,
        "LOCK TABLE %s, %s, %s IN ACCESS EXCLUSIVE MODE NOWAIT"
            .formatted(oldest.name(), layout.kept(), layout.others()));
    jdbc.update(conn, "ALTER TABLE %s DETACH PARTITION %s".formatted(table, layout.kept()));
    jdbc.update(conn, "ALTER TABLE %s DETACH PARTITION %s".formatted(table, oldest.name()));
    int kept = keep(conn, layout, oldest, since);
    jdbc.update(
        conn,
        "ALTER TABLE %s ATTACH PARTITION %s FOR VALUES FROM (MINVALUE) TO (%s)"
            .formatted(table, layout.kept(), oldest.to()));
    jdbc.update(conn, "DROP TABLE " + oldest.name());
    return kept;
  }

  private int keep(Connection conn, Layout layout, Range oldest, Instant since) {
    String columns = columns(conn);
    int kept =
        jdbc.update(
            conn,
            """
            INSERT INTO %1$s (%2$s)
            SELECT %2$s FROM %3$s WHERE %4$s UNION ALL SELECT %2$s FROM %3$s WHERE %5$s
            UNION ALL SELECT %2$s FROM %3$s WHERE %6$s UNION ALL SELECT %2$s FROM %3$s WHERE %7$s
            """
                .formatted(
                    layout.kept(),
                    columns,
                    oldest.name(),
                    WAITING_DUE,
                    WAITING_LEASED,
                    UNKNOWN,
                    ENDED_LATELY),
            Product.POSTGRESQL.parameter(since));
    return kept
        + jdbc.update(
            conn,
            """
            WITH late AS (DELETE FROM %1$s WHERE seq < ? RETURNING *)
            INSERT INTO %2$s (%3$s) SELECT %3$s FROM late
            """
                .formatted(layout.others(), layout.kept(), columns),
            oldest.to());
  }

  private String columns(Connection conn) {
    return jdbc.query(
            conn,
            """
            SELECT string_agg(quote_ident(attname), ', ' ORDER BY attnum) FROM pg_attribute
            WHERE attrelid = to_regclass(?) AND attnum > 0 AND NOT attisdropped
              AND attgenerated = ''
            """,
            row -> row.getString(1),
            table.toString())
        .get(0);
  }
}
