package io.outbox.jdbc.internal.schema;

import io.outbox.jdbc.JdbcTemplate;
import io.outbox.jdbc.OutboxStoreException;
import io.outbox.jdbc.internal.Product;
import io.outbox.jdbc.internal.StoreContext;
import io.outbox.jdbc.internal.TableName;
import java.sql.Connection;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The statements for the partitions of one table, one for each day of UTC, on PostgreSQL. */
public final class DailyPartitions {

  private static final DateTimeFormatter DAY = DateTimeFormatter.ofPattern("uuuuMMdd", Locale.ROOT);

  private final TableName table;
  private final StoreContext context;
  private final JdbcTemplate jdbc;
  private final Pattern partition;

  public DailyPartitions(TableName table) {
    this.table = table;
    this.context = new StoreContext(Product.POSTGRESQL, table);
    this.jdbc = context.template("look after the daily partitions");
    this.partition =
        Pattern.compile(Pattern.quote(table.derived("p")) + "(\\d{8})", Pattern.CASE_INSENSITIVE);
  }

  /** Each day that has a partition, and its name as it is written in SQL. */
  public Map<LocalDate, String> byDay(Connection conn) {
    Map<LocalDate, String> days = new TreeMap<>();
    jdbc.query(
        conn,
        """
        SELECT c.relname, c.oid::regclass::text FROM pg_inherits i
        JOIN pg_class c ON c.oid = i.inhrelid
        WHERE i.inhparent = to_regclass(?)
        """,
        row -> {
          Matcher name = partition.matcher(row.getString(1));
          return name.matches()
              ? days.put(LocalDate.parse(name.group(1), DAY), row.getString(2))
              : null;
        },
        table.toString());
    return days;
  }

  /**
   * Creates it beside the others and attaches it: unlike PARTITION OF, this does not make those
   * wait who write to the table.
   */
  public void create(Connection conn, LocalDate day) {
    TableName name = table.sibling("p" + DAY.format(day));
    jdbc.update(
        conn,
        "CREATE TABLE %s (LIKE %s INCLUDING DEFAULTS INCLUDING CONSTRAINTS)"
            .formatted(name, table));
    jdbc.update(
        conn,
        "ALTER TABLE %s ATTACH PARTITION %s FOR VALUES FROM ('%s 00:00:00+00') TO ('%s 00:00:00+00')"
            .formatted(table, name, day, day.plusDays(1)));
  }

  /** {@code name} is one of {@link #byDay}. */
  public void drop(Connection conn, String name) {
    jdbc.update(conn, "DROP TABLE IF EXISTS " + name);
  }

  /** Deletes rows of days without a partition. */
  public int deleteFromDefault(Connection conn, Instant before, int limit) {
    Object time = context.time(before);
    return jdbc.update(
        conn,
        """
        WITH doomed AS MATERIALIZED (
          SELECT ctid FROM %1$s WHERE created_at < ? LIMIT ? FOR UPDATE SKIP LOCKED)
        DELETE FROM %1$s WHERE ctid IN (SELECT ctid FROM doomed) AND created_at < ?
        """
            .formatted(defaultPartition(conn)),
        time,
        limit,
        time);
  }

  private String defaultPartition(Connection conn) {
    List<String> names =
        jdbc.query(
            conn,
            """
            SELECT partdefid::regclass::text FROM pg_partitioned_table
            WHERE partrelid = to_regclass(?) AND partdefid <> 0
            """,
            row -> row.getString(1),
            table.toString());
    if (names.isEmpty()) {
      throw new OutboxStoreException(
          ("table %1$s is missing, or is not partitioned, or has no default partition:"
                  + " OutboxSchema.createPartitioned(dataSource, \"%1$s\") makes one that has")
              .formatted(table));
    }
    return names.get(0);
  }

  /** Fails unless the table is one of {@link io.outbox.jdbc.OutboxSchema#createPartitioned}. */
  public void requirePartitioned(Connection conn) {
    defaultPartition(conn);
  }

  /** One node after the other, until the end of the transaction; waits no longer than told. */
  public void lock(Connection conn, long maxMillis) {
    jdbc.query(
        conn,
        "SELECT set_config('lock_timeout', ?, true)",
        row -> row.getString(1),
        maxMillis + "ms");
    jdbc.query(
        conn,
        "SELECT pg_advisory_xact_lock(hashtextextended('outbox partitions of ' || to_regclass(?)::oid, 0))",
        row -> 1,
        table.toString());
  }

  public Instant now(Connection conn) {
    return context.now(conn);
  }

  /** The day of an instant. */
  public static LocalDate dayOf(Instant instant) {
    return LocalDate.ofInstant(instant, ZoneOffset.UTC);
  }
}
