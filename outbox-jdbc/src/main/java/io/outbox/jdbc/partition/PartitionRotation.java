package io.outbox.jdbc.partition;

import io.outbox.jdbc.OutboxSchema;
import io.outbox.jdbc.OutboxStoreException;
import io.outbox.jdbc.internal.TableName;
import io.outbox.jdbc.internal.schema.PartitionSteps;
import io.outbox.jdbc.internal.schema.SchemaTool;
import io.outbox.jdbc.partition.Layout.Range;
import io.outbox.jdbc.purge.PostgresEventPurger;
import io.outbox.spi.EventPurger;
import io.outbox.util.PrintableLogger;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;

/**
 * The purger of an outbox table on PostgreSQL in partitions by {@code seq}. Finished events leave
 * with their partition, at the cost of a few statements; events that still wait are kept, with
 * their place in the order of their key. Creates partitions ahead. Several nodes may run it.
 * Thread-safe. Throws {@link OutboxStoreException}.
 *
 * <p>To drop a partition it locks the table for a moment. It waits for the lock for 0.2 s by
 * default, and writers wait as long; if it does not get it, it tries again at the next interval.
 * The database user must own the table.
 */
public final class PartitionRotation implements EventPurger {

  private static final Logger LOG = PrintableLogger.of(PartitionRotation.class);

  private static final long EVENTS_PER_PARTITION = 1_000_000;
  private static final int PARTITIONS_AHEAD = 2;
  private static final Duration LOCK_TIMEOUT = Duration.ofMillis(200);
  private static final int MAX_AHEAD = 100;

  /** PostgreSQL cuts longer names, and those of partitions have the number of an event in them. */
  private static final int MAX_NAME = 40;

  /** Events that are copied while nobody can use the table. */
  private static final int MAX_KEPT = 10_000;

  private final TableName table;
  private final long size;
  private final int ahead;
  private final int maxKept;
  private final SeqPartitions partitions;
  private final PartitionSteps steps;

  /** For the table {@code outbox_event}, with partitions for 1,000,000 events. */
  public PartitionRotation() {
    this(TableName.DEFAULT);
  }

  /**
   * For a table of another name.
   *
   * @throws IllegalArgumentException if the name is not valid, or longer than 40 characters
   */
  public PartitionRotation(String tableName) {
    this(tableName, EVENTS_PER_PARTITION, PARTITIONS_AHEAD, LOCK_TIMEOUT);
  }

  /**
   * With other bounds.
   *
   * @param eventsPerPartition how many numbers of {@code seq} a new partition takes, at least 1,000
   * @param partitionsAhead how many empty partitions there are behind the current one, 1 to 100
   * @param lockTimeout how long to wait for a lock, from a millisecond to a minute
   */
  public PartitionRotation(
      String tableName, long eventsPerPartition, int partitionsAhead, Duration lockTimeout) {
    this(
        tableName,
        checked("eventsPerPartition", eventsPerPartition, 1_000, Integer.MAX_VALUE),
        partitionsAhead,
        lockTimeout,
        MAX_KEPT);
  }

  PartitionRotation(String tableName, long size, int ahead, Duration lockTimeout, int maxKept) {
    this.table = TableName.of(tableName);
    if (table.simple().length() > MAX_NAME) {
      throw new IllegalArgumentException(
          "the table name '%s' is longer than %s characters, which leaves no room for the names of partitions"
              .formatted(table.simple(), MAX_NAME));
    }
    this.size = size;
    this.ahead = (int) checked("partitionsAhead", ahead, 1, MAX_AHEAD);
    this.maxKept = maxKept;
    this.partitions = new SeqPartitions(table);
    Objects.requireNonNull(lockTimeout, "lockTimeout");
    long millis = checked("lockTimeout in ms", lockTimeout.toMillis(), 1, 60_000);
    this.steps = new PartitionSteps(LOG, table, conn -> partitions.lockOut(conn, millis));
  }

  private static long checked(String name, long value, long min, long max) {
    if (value < min || value > max) {
      throw new IllegalArgumentException(
          "%s must be between %s and %s: %s".formatted(name, min, max, value));
    }
    return value;
  }

  /** The DDL that {@link #create} runs, but for the partitions; for your own migrations. */
  public static String ddl(String tableName) {
    return SchemaTool.rotatedDdl(TableName.of(tableName));
  }

  /**
   * Creates the table, the tables of {@link OutboxSchema#create(DataSource, String)} beside it, and
   * the first partitions. Creates only missing ones.
   *
   * @throws OutboxStoreException if the database is not PostgreSQL, or the table is there and is
   *     not in partitions by {@code seq}
   */
  public void create(DataSource dataSource) {
    new Creation(table, partitions).create(dataSource, this::ensureAhead);
  }

  /** Empty if the table is missing, or is not in partitions by {@code seq}. */
  public Optional<PartitionStatus> status(Connection conn) {
    return partitions
        .find(conn)
        .map(
            layout ->
                new PartitionStatus(
                    layout.ranges().size(),
                    layout.numbersAhead(),
                    layout.keptTo(),
                    partitions.withoutPartition(conn, layout, Long.MAX_VALUE, 1) == 0));
  }

  /**
   * Creates partitions until there are enough ahead. Writers go on meanwhile, unless events are in
   * the default partition: PostgreSQL reads it while everybody waits.
   *
   * @return how many were created
   */
  public int ensureAhead(Connection conn) {
    partitions.layout(conn);
    int created = 0;
    while (created <= ahead && steps.run(conn, "create a partition", this::createNext, false)) {
      created++;
    }
    return created;
  }

  private boolean createNext(Connection conn) {
    Layout layout = partitions.layout(conn);
    Optional<Range> missing = layout.missing(size, ahead);
    missing.ifPresent(
        range -> {
          partitions.create(conn, layout, range);
          LOG.log(
              range.from() == layout.end() ? Level.INFO : Level.WARNING,
              () ->
                  "created a partition of %s for seq %s to %s%s"
                      .formatted(
                          table,
                          range.from(),
                          range.to() - 1,
                          range.from() == layout.end()
                              ? ""
                              : "; events before it have no partition: rotate more often, or have"
                                  + " more partitions ahead"));
        });
    return missing.isPresent();
  }

  /**
   * Drops the oldest partition if all its numbers are used, and its events ended before {@code
   * before} but for 10,000 at most. Events that wait, or ended later, are kept.
   *
   * @return whether it was dropped
   */
  public boolean rotate(Connection conn, Instant before) {
    return rotateOldest(conn, Objects.requireNonNull(before, "before")) == Turn.DROPPED;
  }

  private enum Turn {
    DROPPED,
    NOT_YET,
    /** Too many events wait to copy them while the table is locked. */
    CROWDED
  }

  private Turn rotateOldest(Connection conn, Instant before) {
    return steps.run(conn, "drop a partition", c -> oldest(c, before), Turn.NOT_YET);
  }

  private Turn oldest(Connection conn, Instant before) {
    Layout layout = partitions.layout(conn);
    Range oldest = layout.passed().orElse(null);
    int max = maxKept + 1;
    if (oldest == null) {
      return Turn.NOT_YET;
    } else if (partitions.waiting(conn, oldest, max) == max
        || partitions.withoutPartition(conn, layout, oldest.to(), max) == max) {
      return Turn.CROWDED;
    } else if (partitions.endedSince(conn, oldest, before, max) == max) {
      return Turn.NOT_YET;
    }
    drop(conn, layout, oldest, before);
    return Turn.DROPPED;
  }

  private void drop(Connection conn, Layout layout, Range range, Instant before) {
    long start = System.nanoTime();
    int kept = partitions.drop(conn, layout, range, before);
    long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
    LOG.log(
        Level.INFO,
        () ->
            "dropped the partition of %s for seq %s to %s in %s ms, and kept %s of its events"
                .formatted(table, range.from(), range.to() - 1, millis, kept));
  }

  /**
   * Creates partitions ahead; in a transaction that is all if any were missing. Else deletes at
   * most {@code limit} old events that no partition takes with it, and, if there are no more of
   * them, drops the oldest partition. Events are deleted one by one if they outlived their
   * partition, while there is but the current partition, and while more than 10,000 events of the
   * oldest one wait.
   *
   * @return how many events were deleted; {@code limit} if there may be more to do
   */
  @Override
  public int purge(Connection conn, Instant before, int limit) {
    Objects.requireNonNull(before, "before");
    if (limit < 1) {
      throw new IllegalArgumentException("limit must be at least 1: " + limit);
    }
    if (ensureAhead(conn) > 0 && PartitionSteps.areInOneTransaction(conn)) {
      // Its locks last until the end, and who waits for them is in the way of a drop.
      return limit;
    }
    if (partitions.layout(conn).passed().isEmpty()) {
      return delete(conn, table, before, limit);
    }
    int deleted = delete(conn, table.sibling("kept"), before, limit);
    if (deleted < limit) {
      deleted += delete(conn, table.sibling("default"), before, limit - deleted);
    }
    if (deleted == limit) {
      return limit;
    }
    // The last statements of the transaction: nobody can use the table until it ends.
    return switch (rotateOldest(conn, before)) {
      case DROPPED -> limit;
      case NOT_YET -> deleted;
      case CROWDED -> deleted + delete(conn, table, before, limit - deleted);
    };
  }

  private static int delete(Connection conn, TableName name, Instant before, int limit) {
    return new PostgresEventPurger(name.toString()).purge(conn, before, limit);
  }
}
