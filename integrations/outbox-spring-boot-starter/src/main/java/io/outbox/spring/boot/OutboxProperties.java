package io.outbox.spring.boot;

import io.outbox.wiring.Settings.AfterDead;
import io.outbox.wiring.Settings.ArchiveTarget;
import io.outbox.wiring.Settings.Initialize;
import io.outbox.wiring.Settings.Mode;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * The properties {@code outbox.*}.
 *
 * @param enabled Whether there is an outbox at all.
 * @param mode How events are delivered.
 * @param tableName The name of the outbox table, with a schema in front if need be.
 * @param datasource The name of the DataSource bean whose transactions the events are written in.
 *     By default the DataSource annotated as OutboxDataSource, or the only or primary one.
 * @param deleteOnDone Whether events are deleted when they are delivered, instead of being kept as
 *     DONE. Without effect in the mode writer-only.
 * @param virtualThreads Whether listeners run on virtual threads, which needs Java 21. By default
 *     as spring.threads.virtual.enabled says.
 * @param flushBeforeWrite Whether JPA flushes before an event is written, so that transactions that
 *     change the same row number their events in the order of their commits. By default only in the
 *     mode ordered-by-key.
 * @param dispatcher How events are delivered.
 * @param retry What happens after a failure.
 * @param listeners Retries and limits of single listeners, by their event type, or by aggregate
 *     type, slash and event type, or by those of a subscription.
 * @param poller How the table is searched for events.
 * @param claimLocking Leases on events.
 * @param orderedByKey Order by key.
 * @param purge Deleting old events.
 * @param inbox The inbox.
 * @param metrics Metrics through Micrometer.
 * @param tracing Traces through OpenTelemetry.
 * @param schema The outbox table.
 * @param health When the health indicator reports DOWN.
 * @param console The console.
 */
@ConfigurationProperties(prefix = "outbox")
public record OutboxProperties(
    @DefaultValue("true") boolean enabled,
    @DefaultValue("single-node") Mode mode,
    @DefaultValue("outbox_event") String tableName,
    String datasource,
    boolean deleteOnDone,
    Boolean virtualThreads,
    Boolean flushBeforeWrite,
    @DefaultValue Dispatcher dispatcher,
    @DefaultValue Retry retry,
    @DefaultValue Map<String, Listener> listeners,
    @DefaultValue Poller poller,
    @DefaultValue ClaimLocking claimLocking,
    @DefaultValue OrderedByKey orderedByKey,
    @DefaultValue Purge purge,
    @DefaultValue Inbox inbox,
    @DefaultValue Metrics metrics,
    @DefaultValue Tracing tracing,
    @DefaultValue Schema schema,
    @DefaultValue Health health,
    @DefaultValue Console console) {

  boolean flushesBeforeWrite() {
    return flushBeforeWrite == null ? mode == Mode.ORDERED_BY_KEY : flushBeforeWrite;
  }

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
   * @param drainTimeoutMs How long stopping waits for queued events to be delivered. Shortened to
   *     fit into spring.lifecycle.timeout-per-shutdown-phase.
   * @param checkRowsBeforeHotDelivery Whether to look for a committed event's row before it is
   *     delivered, for applications that roll back to savepoints of the JDBC connection itself.
   */
  public record Dispatcher(
      @DefaultValue("4") int workerCount,
      @DefaultValue("256") int maxInFlight,
      Duration listenerTimeout,
      @DefaultValue("5m") Duration missingListenerGrace,
      @DefaultValue("1000") int hotQueueCapacity,
      @DefaultValue("1000") int coldQueueCapacity,
      @DefaultValue("64MB") DataSize maxQueuedBytes,
      @DefaultValue("5000") long drainTimeoutMs,
      boolean checkRowsBeforeHotDelivery) {}

  /**
   * What happens after a failure. The mode ordered has one attempt.
   *
   * @param maxAttempts How often a listener is called for one event at most.
   * @param maxAge How old an event may become, from its creation or its last replay, before it is
   *     given up. None by default.
   * @param baseDelayMs The delay after the first failure; it doubles with each further one.
   * @param maxDelayMs The longest delay between two attempts.
   */
  public record Retry(
      @DefaultValue("10") int maxAttempts,
      Duration maxAge,
      @DefaultValue("200") long baseDelayMs,
      @DefaultValue("60000") long maxDelayMs) {}

  /**
   * Retries and limits of one listener, in place of the settings for all.
   *
   * @param maxAttempts How often the listener is called for one event at most.
   * @param maxAge How old an event may become before it gets its last attempt.
   * @param retry How long failed events wait.
   * @param retryNever Exceptions that make the event DEAD at once.
   * @param retryAlways Exceptions that are retried however often they happen, until max-age.
   * @param timeout How long one call may take. Not in modes that keep an order.
   * @param concurrency How many calls run at the same time at most, on one node.
   * @param rateLimit How many calls start in a period at most, on one node.
   */
  public record Listener(
      Integer maxAttempts,
      Duration maxAge,
      Delays retry,
      @DefaultValue List<Class<? extends Throwable>> retryNever,
      @DefaultValue List<Class<? extends Throwable>> retryAlways,
      Duration timeout,
      Integer concurrency,
      RateLimit rateLimit) {}

  /**
   * How long the failed events of one listener wait.
   *
   * @param baseDelayMs The delay after the first failure; it doubles with each further one.
   * @param maxDelayMs The longest delay between two attempts.
   */
  public record Delays(
      @DefaultValue("200") long baseDelayMs, @DefaultValue("60000") long maxDelayMs) {}

  /**
   * How many calls of one listener start in a period at most.
   *
   * @param events How many.
   * @param period How long the period is.
   */
  public record RateLimit(int events, @DefaultValue("1s") Duration period) {}

  /**
   * How the table is searched for events that were not delivered at their commit.
   *
   * @param intervalMs How long the poller waits after it found nothing more.
   * @param batchSize How many events one poll fetches at most.
   * @param skipRecentMs Events younger than this are left to the hot path.
   */
  public record Poller(
      @DefaultValue("5000") long intervalMs,
      @DefaultValue("50") int batchSize,
      long skipRecentMs) {}

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
  public record OrderedByKey(
      String node,
      @DefaultValue("15s") Duration lease,
      @DefaultValue("10s") Duration handover,
      Boolean notifications,
      @DefaultValue("continue") AfterDead afterDead) {}

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
  public record ClaimLocking(
      boolean enabled, String ownerId, @DefaultValue("5m") Duration lockTimeout) {}

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
  public record Purge(
      boolean enabled,
      @DefaultValue("7d") Duration retention,
      @DefaultValue("500") int batchSize,
      @DefaultValue("3600") long intervalSeconds,
      @DefaultValue Archive archive,
      @DefaultValue Rotation rotation) {}

  /**
   * Keeping old events instead of deleting them.
   *
   * @param to Where old events are moved to. With none, they are deleted.
   * @param directory The directory of an archive in files.
   * @param maxPartSize The size at which a file of the archive is ended and another one begun.
   */
  public record Archive(
      @DefaultValue("none") ArchiveTarget to,
      Path directory,
      @DefaultValue("64MB") DataSize maxPartSize) {}

  /**
   * A table in partitions by seq on PostgreSQL, which leave as a whole.
   *
   * @param enabled Whether old events leave with their partition, on PostgreSQL.
   * @param eventsPerPartition How many events a new partition takes.
   * @param partitionsAhead How many empty partitions there are behind the current one.
   */
  public record Rotation(
      boolean enabled,
      @DefaultValue("1000000") long eventsPerPartition,
      @DefaultValue("2") int partitionsAhead) {}

  /**
   * The console, if outbox-console is there.
   *
   * @param enabled Whether the application has a web page to see and steer the outbox, in a servlet
   *     container.
   * @param path Where the page is, below the application's context path.
   * @param operatorRole The role that users need to act; other signed-in users may look.
   * @param anonymous What users may do without signing in, from this machine or an anonymous
   *     network.
   * @param anonymousNetworks The networks whose users need not sign in, such as 10.1.0.0/16.
   * @param allowedHosts The names under which the page may be called, without port, next to
   *     localhost. If empty, any name is allowed; with anonymous users, only localhost.
   * @param environment The name of the environment, such as production, shown on every page and in
   *     its title.
   * @param environmentColor How the page marks the environment: red, orange, yellow, green, blue,
   *     purple or gray.
   * @param refreshInterval How often a page that is open is refreshed.
   */
  public record Console(
      boolean enabled,
      @DefaultValue("/outbox") String path,
      @DefaultValue("OUTBOX_OPERATOR") String operatorRole,
      @DefaultValue("none") Anonymous anonymous,
      @DefaultValue List<String> anonymousNetworks,
      @DefaultValue List<String> allowedHosts,
      String environment,
      String environmentColor,
      @DefaultValue("2s") Duration refreshInterval) {}

  /** The rights of users without signing in. */
  public enum Anonymous {
    NONE,
    READ_ONLY,
    OPERATOR
  }

  /**
   * The inbox, if outbox-inbox is there.
   *
   * @param tableName The name of the inbox table, with a schema in front if need be.
   * @param purge How processed events are forgotten.
   */
  public record Inbox(
      @DefaultValue("inbox_event") String tableName, @DefaultValue InboxPurge purge) {}

  /**
   * How processed events are forgotten.
   *
   * @param enabled Whether the inbox forgets events that were processed long ago.
   * @param retention How long a repeated event is recognized.
   * @param batchSize How many events are forgotten in one transaction at most.
   * @param intervalSeconds How often the inbox looks for events to forget.
   */
  public record InboxPurge(
      boolean enabled,
      @DefaultValue("30d") Duration retention,
      @DefaultValue("500") int batchSize,
      @DefaultValue("3600") long intervalSeconds) {}

  /**
   * Metrics through Micrometer.
   *
   * @param enabled Whether metrics are reported, if outbox-micrometer and a MeterRegistry are
   *     there.
   * @param namePrefix The prefix of the names of the meters.
   */
  public record Metrics(
      @DefaultValue("true") boolean enabled, @DefaultValue("outbox") String namePrefix) {}

  /**
   * Traces through OpenTelemetry.
   *
   * @param enabled Whether events carry trace context, if outbox-tracing and an OpenTelemetry are
   *     there.
   */
  public record Tracing(@DefaultValue("true") boolean enabled) {}

  /**
   * The outbox table.
   *
   * @param initialize When the table is created at the start, after Flyway and Liquibase.
   * @param validate Whether the application refuses to start if the table is missing or not as it
   *     should be.
   */
  public record Schema(
      @DefaultValue("embedded") Initialize initialize, @DefaultValue("true") boolean validate) {}

  /**
   * When the health indicator reports DOWN. It always does if the table cannot be read.
   *
   * @param maxLag How old the oldest undelivered event may be, since it was first due or replayed.
   *     No limit by default. Without effect in the mode writer-only.
   * @param maxDead How many events may be DEAD. By default any number.
   */
  public record Health(Duration maxLag, Integer maxDead) {

    public Health {
      if (maxLag != null && maxLag.isNegative()) {
        throw new IllegalArgumentException("outbox.health.max-lag must not be negative");
      }
      if (maxDead != null && maxDead < 0) {
        throw new IllegalArgumentException("outbox.health.max-dead must not be negative");
      }
    }
  }
}
