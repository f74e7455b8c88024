package io.outbox.micronaut;

import io.micronaut.context.annotation.ConfigurationProperties;
import io.micronaut.core.annotation.Nullable;
import io.micronaut.core.bind.annotation.Bindable;
import io.micronaut.core.convert.format.ReadableBytes;
import io.outbox.wiring.Settings.AfterDead;
import io.outbox.wiring.Settings.ArchiveTarget;
import io.outbox.wiring.Settings.Initialize;
import io.outbox.wiring.Settings.Mode;
import java.nio.file.Path;
import java.time.Duration;

/**
 * The properties {@code outbox.*}, except {@code outbox.listeners.*}.
 *
 * @param enabled Whether there is an outbox at all.
 * @param mode How events are delivered.
 * @param tableName The name of the outbox table, with a schema in front if need be.
 * @param datasource The name of the DataSource whose transactions the events are written in.
 * @param deleteOnDone Whether events are deleted when they are delivered, instead of being kept as
 *     DONE. Without effect in the mode writer-only.
 * @param virtualThreads Whether listeners run on virtual threads, which needs Java 21.
 * @param dispatcher How events are delivered.
 * @param retry What happens after a failure.
 * @param poller How the table is searched for events.
 * @param claimLocking Leases on events.
 * @param orderedByKey Order by key.
 * @param purge Deleting old events.
 * @param metrics Metrics through Micrometer.
 * @param schema The outbox table.
 * @param health When the health indicator reports DOWN.
 */
@ConfigurationProperties(OutboxConfiguration.PREFIX)
public record OutboxConfiguration(
    @Bindable(defaultValue = "true") boolean enabled,
    @Bindable(defaultValue = "single-node") Mode mode,
    @Bindable(defaultValue = "outbox_event") String tableName,
    @Bindable(defaultValue = "default") String datasource,
    @Bindable(defaultValue = "false") boolean deleteOnDone,
    @Bindable(defaultValue = "false") boolean virtualThreads,
    Dispatcher dispatcher,
    Retry retry,
    Poller poller,
    ClaimLocking claimLocking,
    OrderedByKey orderedByKey,
    Purge purge,
    Metrics metrics,
    Schema schema,
    Health health) {

  static final String PREFIX = "outbox";

  /**
   * How events are delivered.
   *
   * @param workerCount How many listeners run at the same time. One in the mode ordered.
   * @param maxInFlight How many calls of each asynchronous listener may be pending at the same
   *     time.
   * @param listenerTimeout How long a listener may take before it is interrupted and its event
   *     retried. Without a limit by default.
   * @param missingListenerGrace How long no live node must have had a listener for an event until
   *     the event is DEAD; zero: at once. For the modes multi-node and ordered-by-key.
   * @param hotQueueCapacity How many committed events may wait in memory for a worker.
   * @param coldQueueCapacity How many polled events may wait in memory for a worker.
   * @param maxQueuedBytes How many bytes of events may wait in memory, whatever their number.
   * @param drainTimeoutMs How long stopping waits for queued events to be delivered.
   * @param checkRowsBeforeHotDelivery Whether to look for a committed event's row before it is
   *     delivered, for applications that roll back to savepoints of the JDBC connection itself.
   */
  @ConfigurationProperties("dispatcher")
  public record Dispatcher(
      @Bindable(defaultValue = "4") int workerCount,
      @Bindable(defaultValue = "256") int maxInFlight,
      @Nullable Duration listenerTimeout,
      @Bindable(defaultValue = "5m") Duration missingListenerGrace,
      @Bindable(defaultValue = "1000") int hotQueueCapacity,
      @Bindable(defaultValue = "1000") int coldQueueCapacity,
      @ReadableBytes @Bindable(defaultValue = "64MB") long maxQueuedBytes,
      @Bindable(defaultValue = "5000") long drainTimeoutMs,
      @Bindable(defaultValue = "false") boolean checkRowsBeforeHotDelivery) {}

  /**
   * What happens after a failure. The mode ordered has one attempt.
   *
   * @param maxAttempts How often a listener is called for one event at most.
   * @param maxAge How old an event may become, from its creation or its last replay, before it is
   *     given up. None by default.
   * @param baseDelayMs The delay after the first failure; it doubles with each further one.
   * @param maxDelayMs The longest delay between two attempts.
   */
  @ConfigurationProperties("retry")
  public record Retry(
      @Bindable(defaultValue = "10") int maxAttempts,
      @Nullable Duration maxAge,
      @Bindable(defaultValue = "200") long baseDelayMs,
      @Bindable(defaultValue = "60000") long maxDelayMs) {}

  /**
   * How the table is searched for events that were not delivered at their commit.
   *
   * @param intervalMs How long the poller waits after it found nothing more.
   * @param batchSize How many events one poll fetches at most.
   * @param skipRecentMs Events younger than this are left to the hot path.
   */
  @ConfigurationProperties("poller")
  public record Poller(
      @Bindable(defaultValue = "5000") long intervalMs,
      @Bindable(defaultValue = "50") int batchSize,
      @Bindable(defaultValue = "0") long skipRecentMs) {}

  /**
   * Leases on events, for many nodes on one table.
   *
   * @param enabled Whether nodes lease the events they deliver. Required by the mode multi-node,
   *     without effect in the others.
   * @param ownerId The name of this node in the table, to which a random part is added. By default
   *     made of host and process.
   * @param lockTimeout How long the events of a dead node wait for other nodes. The same on all
   *     nodes.
   */
  @ConfigurationProperties("claim-locking")
  public record ClaimLocking(
      @Bindable(defaultValue = "false") boolean enabled,
      @Nullable String ownerId,
      @Bindable(defaultValue = "5m") Duration lockTimeout) {}

  /**
   * Order by key, for the mode of that name.
   *
   * @param node The name of this node in the table, to which a random part is added. By default
   *     made of host and process.
   * @param lease How long the keys of a dead node wait until other nodes deliver them.
   * @param handover How long keys that change nodes wait for running calls.
   * @param notifications Whether the owner of a key learns at once of events from other nodes. By
   *     default by LISTEN and NOTIFY on PostgreSQL, elsewhere by looking for new events ten times a
   *     second; true demands PostgreSQL; with false such an event waits for up to the poller's
   *     interval.
   * @param afterDead What happens to the events of a key behind a DEAD event.
   */
  @ConfigurationProperties("ordered-by-key")
  public record OrderedByKey(
      @Nullable String node,
      @Bindable(defaultValue = "15s") Duration lease,
      @Bindable(defaultValue = "10s") Duration handover,
      @Nullable Boolean notifications,
      @Bindable(defaultValue = "continue") AfterDead afterDead) {}

  /**
   * Deleting old events.
   *
   * @param enabled Whether old events are deleted: DONE and DEAD ones, in the mode writer-only all.
   * @param retention How long events are kept after their end; in the mode writer-only after their
   *     creation.
   * @param batchSize How many events are deleted in one transaction at most.
   * @param intervalSeconds How often old events are looked for.
   * @param archive Keeping the events instead of deleting them.
   * @param rotation A table in partitions, which leave as a whole.
   */
  @ConfigurationProperties("purge")
  public record Purge(
      @Bindable(defaultValue = "false") boolean enabled,
      @Bindable(defaultValue = "7d") Duration retention,
      @Bindable(defaultValue = "500") int batchSize,
      @Bindable(defaultValue = "3600") long intervalSeconds,
      Archive archive,
      Rotation rotation) {

    /**
     * Keeping old events instead of deleting them.
     *
     * @param to Where old events are moved to. With none, they are deleted.
     * @param directory The directory of an archive in files.
     * @param maxPartSize The size at which a file of the archive is ended and another one begun.
     */
    @ConfigurationProperties("archive")
    public record Archive(
        @Bindable(defaultValue = "none") ArchiveTarget to,
        @Nullable Path directory,
        @ReadableBytes @Bindable(defaultValue = "64MB") long maxPartSize) {}

    /**
     * A table in partitions by seq on PostgreSQL, which leave as a whole.
     *
     * @param enabled Whether old events leave with their partition, on PostgreSQL.
     * @param eventsPerPartition How many events a new partition takes.
     * @param partitionsAhead How many empty partitions there are behind the current one.
     */
    @ConfigurationProperties("rotation")
    public record Rotation(
        @Bindable(defaultValue = "false") boolean enabled,
        @Bindable(defaultValue = "1000000") long eventsPerPartition,
        @Bindable(defaultValue = "2") int partitionsAhead) {}
  }

  /**
   * Metrics through Micrometer.
   *
   * @param enabled Whether metrics are reported, if outbox-micrometer and a MeterRegistry are
   *     there.
   * @param namePrefix The prefix of the names of the meters.
   */
  @ConfigurationProperties("metrics")
  public record Metrics(
      @Bindable(defaultValue = "true") boolean enabled,
      @Bindable(defaultValue = "outbox") String namePrefix) {}

  /**
   * The outbox table.
   *
   * @param initialize When the table is created at the start, after Flyway and Liquibase.
   * @param validate Whether the application refuses to start if the table is missing or not as it
   *     should be.
   */
  @ConfigurationProperties("schema")
  public record Schema(
      @Bindable(defaultValue = "embedded") Initialize initialize,
      @Bindable(defaultValue = "true") boolean validate) {}

  /**
   * When the health indicator reports DOWN. It always does if the table cannot be read.
   *
   * @param maxLag How old the oldest undelivered event may be, since it was first due or replayed.
   *     No limit by default. Without effect in the mode writer-only.
   * @param maxDead How many events may be DEAD. By default any number.
   */
  @ConfigurationProperties("health")
  public record Health(@Nullable Duration maxLag, @Nullable Integer maxDead) {}
}
