package io.outbox.jdbc;

import io.outbox.jdbc.internal.TableName;
import io.outbox.jdbc.internal.schema.DailyPartitions;
import io.outbox.jdbc.internal.schema.PartitionSteps;
import io.outbox.spi.EventPurger;
import io.outbox.util.PrintableLogger;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.util.Map;
import java.util.Objects;

/**
 * The daily partitions (of UTC) of an outbox table on PostgreSQL that {@link
 * OutboxSchema#createPartitioned} created. Creates partitions ahead and drops old ones; as the
 * purger of an outbox, at each interval. Several nodes may run it. Thread-safe.
 *
 * <p>It waits for a lock for half a second by default; while it waits to drop a partition, writers
 * wait, too. A partition it could not lock is logged, and tried again next time. On a connection
 * that is not in auto-commit mode, locks are held until the caller ends the transaction.
 */
public final class PostgresPartitions implements EventPurger {

  private static final Logger LOG = PrintableLogger.of(PostgresPartitions.class);
  private static final Duration LOCK_TIMEOUT = Duration.ofMillis(500);
  private static final int DAYS_AHEAD = 7;
  private static final int MAX_DAYS_AHEAD = 366;

  private final TableName table;
  private final int daysAhead;
  private final DailyPartitions partitions;
  private final PartitionSteps steps;

  /** For the table {@code outbox_event}, a week ahead. */
  public PostgresPartitions() {
    this(TableName.DEFAULT);
  }

  /**
   * For a table of another name, a week ahead.
   *
   * @throws IllegalArgumentException if the name is not valid
   */
  public PostgresPartitions(String tableName) {
    this(tableName, DAYS_AHEAD, LOCK_TIMEOUT);
  }

  /**
   * With other bounds.
   *
   * @param daysAhead how many days after today are to have a partition, 1 to 366
   * @param lockTimeout how long to wait for a lock, from a millisecond to an hour
   */
  public PostgresPartitions(String tableName, int daysAhead, Duration lockTimeout) {
    this.table = TableName.of(tableName);
    if (daysAhead < 1 || daysAhead > MAX_DAYS_AHEAD) {
      throw new IllegalArgumentException(
          "daysAhead must be between 1 and " + MAX_DAYS_AHEAD + ": " + daysAhead);
    }
    Objects.requireNonNull(lockTimeout, "lockTimeout");
    if (lockTimeout.toMillis() < 1 || lockTimeout.compareTo(Duration.ofHours(1)) > 0) {
      throw new IllegalArgumentException(
          "lockTimeout must be between a millisecond and an hour: " + lockTimeout);
    }
    this.daysAhead = daysAhead;
    this.partitions = new DailyPartitions(table);
    this.steps =
        new PartitionSteps(
            LOG,
            table,
            conn -> {
              partitions.lock(conn, lockTimeout.toMillis());
              return true;
            });
  }

  /**
   * Creates the partitions of today, by the database's clock, and of the days ahead, unless they
   * are there.
   *
   * @return how many were created
   */
  public int ensureAhead(Connection conn) {
    return ensureAhead(conn, partitions.now(conn));
  }

  /** The same for the day of {@code now} and the days ahead of it. */
  public int ensureAhead(Connection conn, Instant now) {
    partitions.requirePartitioned(conn);
    LocalDate today = DailyPartitions.dayOf(now);
    Map<LocalDate, String> there = partitions.byDay(conn);
    int created = 0;
    for (int ahead = 0; ahead <= daysAhead; ahead++) {
      LocalDate day = today.plusDays(ahead);
      if (!there.containsKey(day)
          && steps.run(conn, "create the partition for " + day, c -> create(c, day), false)) {
        LOG.log(Level.INFO, () -> "created the partition of " + table + " for " + day);
        created++;
      }
    }
    return created;
  }

  /** Fails if the default partition has rows of the day: moved, they would be captured again. */
  private boolean create(Connection conn, LocalDate day) {
    if (partitions.byDay(conn).containsKey(day)) {
      return false; // another node was quicker
    }
    partitions.create(conn, day);
    return true;
  }

  /**
   * Drops the partitions whose events are all older than {@code before}.
   *
   * @return how many were dropped
   */
  public int dropBefore(Connection conn, Instant before) {
    LocalDate firstToKeep = DailyPartitions.dayOf(before);
    int dropped = 0;
    for (LocalDate day : partitions.byDay(conn).keySet()) {
      if (day.isBefore(firstToKeep)
          && steps.run(conn, "drop the partition for " + day, c -> drop(c, day), false)) {
        LOG.log(Level.INFO, () -> "dropped the partition of " + table + " for " + day);
        dropped++;
      }
    }
    return dropped;
  }

  private boolean drop(Connection conn, LocalDate day) {
    String name = partitions.byDay(conn).get(day);
    if (name == null) {
      return false; // another node was quicker
    }
    partitions.drop(conn, name);
    return true;
  }

  /**
   * Creates the partitions ahead, drops those before {@code before}, and deletes at most {@code
   * limit} events of that age outside the daily partitions.
   *
   * @return how many events were deleted singly
   */
  @Override
  public int purge(Connection conn, Instant before, int limit) {
    if (limit < 1) {
      throw new IllegalArgumentException("limit must be at least 1: " + limit);
    }
    ensureAhead(conn);
    dropBefore(conn, before);
    return partitions.deleteFromDefault(conn, before, limit);
  }
}
