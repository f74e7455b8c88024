package io.outbox.quarkus.runtime;

import io.outbox.wiring.Settings.AfterDead;
import io.outbox.wiring.Settings.ArchiveTarget;
import io.outbox.wiring.Settings.Initialize;
import io.outbox.wiring.Settings.Mode;
import io.quarkus.runtime.annotations.ConfigPhase;
import io.quarkus.runtime.annotations.ConfigRoot;
import io.quarkus.runtime.configuration.MemorySize;
import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The settings {@code quarkus.outbox.*} that are read when the application starts. */
@ConfigMapping(prefix = "quarkus.outbox")
@ConfigRoot(phase = ConfigPhase.RUN_TIME)
public interface OutboxConfig {

  /** How events are delivered. */
  @WithDefault("single-node")
  Mode mode();

  /** The name of the outbox table, with a schema in front if need be. */
  @WithDefault("outbox_event")
  String tableName();

  /**
   * Whether events are deleted when they are delivered, instead of being kept as DONE. Without
   * effect in the mode writer-only.
   */
  @WithDefault("false")
  boolean deleteOnDone();

  /** Whether listeners run on virtual threads, which needs Java 21. */
  @WithDefault("false")
  boolean virtualThreads();

  /** How events are delivered. */
  Dispatcher dispatcher();

  /** What happens after a failure. The mode ordered has one attempt. */
  Retry retry();

  /**
   * Retries and limits of single listeners, by their event type, by aggregate type, slash and event
   * type, or, for a subscription, as in Order@@send-mail/OrderPlaced.
   */
  Map<String, Listener> listeners();

  /** How the table is searched for events that were not delivered at their commit. */
  Poller poller();

  /** Leases on events, for many nodes on one table. */
  ClaimLocking claimLocking();

  /** Order by key, for the mode of that name. */
  OrderedByKey orderedByKey();

  /** Deleting old events. */
  Purge purge();

  /** Metrics through Micrometer. */
  Metrics metrics();

  /** The outbox table. */
  Schema schema();

  /** When the readiness check reports DOWN. It always does if the table cannot be read. */
  Health health();

  /** How events are delivered. */
  interface Dispatcher {

    /** How many listeners run at the same time. One in the mode ordered. */
    @WithDefault("4")
    int workerCount();

    /** How many calls of each asynchronous listener may be pending at the same time. */
    @WithDefault("256")
    int maxInFlight();

    /**
     * How long a listener may take before it is interrupted and its event retried. Without a limit
     * by default.
     */
    Optional<Duration> listenerTimeout();

    /**
     * How long no live node must have had a listener for an event until the event is DEAD; zero: at
     * once. For the modes multi-node and ordered-by-key.
     */
    @WithDefault("5m")
    Duration missingListenerGrace();

    /** How many committed events may wait in memory for a worker. */
    @WithDefault("1000")
    int hotQueueCapacity();

    /** How many polled events may wait in memory for a worker. */
    @WithDefault("1000")
    int coldQueueCapacity();

    /** How many bytes of events may wait in memory, whatever their number. */
    @WithDefault("64M")
    MemorySize maxQueuedBytes();

    /** How long stopping waits for queued events to be delivered. */
    @WithDefault("5000")
    long drainTimeoutMs();

    /**
     * Whether to look for a committed event's row before it is delivered, for transactions that may
     * end heuristically.
     */
    @WithDefault("false")
    boolean checkRowsBeforeHotDelivery();
  }

  /** What happens after a failure. */
  interface Retry {

    /** How often a listener is called for one event at most. */
    @WithDefault("10")
    int maxAttempts();

    /**
     * How old an event may become, from its creation or its last replay, before it is given up.
     * None by default.
     */
    Optional<Duration> maxAge();

    /** The delay after the first failure; it doubles with each further one. */
    @WithDefault("200")
    long baseDelayMs();

    /** The longest delay between two attempts. */
    @WithDefault("60000")
    long maxDelayMs();
  }

  /** Retries and limits of one listener, in place of the settings for all. */
  interface Listener {

    /** How often the listener is called for one event at most. */
    Optional<Integer> maxAttempts();

    /** How old an event may become before it gets its last attempt. */
    Optional<Duration> maxAge();

    /** How long failed events wait. */
    Optional<Delays> retry();

    /** Exceptions that make the event DEAD at once. */
    Optional<List<String>> retryNever();

    /** Exceptions that are retried however often they happen, until max-age. */
    Optional<List<String>> retryAlways();

    /** How long one call may take. Not in modes that keep an order. */
    Optional<Duration> timeout();

    /** How many calls run at the same time at most, on one node. */
    Optional<Integer> concurrency();

    /** How many calls start in a period at most, on one node. */
    Optional<RateLimit> rateLimit();
  }

  /** How long the failed events of one listener wait. */
  interface Delays {

    /** The delay after the first failure; it doubles with each further one. */
    @WithDefault("200")
    long baseDelayMs();

    /** The longest delay between two attempts. */
    @WithDefault("60000")
    long maxDelayMs();
  }

  /** How many calls of one listener start in a period at most. */
  interface RateLimit {

    /** How many. */
    int events();

    /** How long the period is. */
    @WithDefault("1s")
    Duration period();
  }

  /** How the table is searched for events. */
  interface Poller {

    /** How long the poller waits after it found nothing more. */
    @WithDefault("5000")
    long intervalMs();

    /** How many events one poll fetches at most. */
    @WithDefault("50")
    int batchSize();

    /** Events younger than this are left to the hot path. */
    @WithDefault("0")
    long skipRecentMs();
  }

  /** Leases on events. */
  interface ClaimLocking {

    /**
     * Whether nodes lease the events they deliver. Required by the mode multi-node, without effect
     * in the others.
     */
    @WithDefault("false")
    boolean enabled();

    /**
     * The name of this node in the table, to which a random part is added. By default made of host
     * and process.
     */
    Optional<String> ownerId();

    /** How long the events of a dead node wait for other nodes. The same on all nodes. */
    @WithDefault("5m")
    Duration lockTimeout();
  }

  /** Order by key. */
  interface OrderedByKey {

    /**
     * The name of this node in the table, to which a random part is added. By default made of host
     * and process.
     */
    Optional<String> node();

    /** How long the keys of a dead node wait until other nodes deliver them. */
    @WithDefault("15s")
    Duration lease();

    /** How long keys that change nodes wait for running calls. */
    @WithDefault("10s")
    Duration handover();

    /**
     * Whether the owner of a key learns at once of events from other nodes. By default by LISTEN
     * and NOTIFY on PostgreSQL, elsewhere by looking for new events ten times a second; true
     * demands PostgreSQL; with false such an event waits for up to the poller's interval.
     */
    Optional<Boolean> notifications();

    /** What happens to the events of a key behind a DEAD event. */
    @WithDefault("continue")
    AfterDead afterDead();
  }

  /** Deleting old events. */
  interface Purge {

    /** Whether old events are deleted: DONE and DEAD ones, in the mode writer-only all. */
    @WithDefault("false")
    boolean enabled();

    /** How long events are kept after their end; in the mode writer-only after their creation. */
    @WithDefault("7d")
    Duration retention();

    /** How many events are deleted in one transaction at most. */
    @WithDefault("500")
    int batchSize();

    /** How often old events are looked for. */
    @WithDefault("3600")
    long intervalSeconds();

    /** Keeping the events instead of deleting them. */
    Archive archive();

    /** A table in partitions, which leave as a whole. */
    Rotation rotation();
  }

  /** A table in partitions by seq on PostgreSQL, which leave as a whole. */
  interface Rotation {

    /** Whether old events leave with their partition, on PostgreSQL. */
    @WithDefault("false")
    boolean enabled();

    /** How many events a new partition takes. */
    @WithDefault("1000000")
    long eventsPerPartition();

    /** How many empty partitions there are behind the current one. */
    @WithDefault("2")
    int partitionsAhead();
  }

  /** Keeping old events instead of deleting them. */
  interface Archive {

    /** Where old events are moved to. With none, they are deleted. */
    @WithDefault("none")
    ArchiveTarget to();

    /** The directory of an archive in files. */
    Optional<Path> directory();

    /** The size at which a file of the archive is ended and another one begun. */
    @WithDefault("64M")
    MemorySize maxPartSize();
  }

  /** Metrics through Micrometer. */
  interface Metrics {

    /** The prefix of the names of the meters. */
    @WithDefault("outbox")
    String namePrefix();
  }

  /** The outbox table. */
  interface Schema {

    /** When the table is created at the start, after Flyway and Liquibase. */
    @WithDefault("embedded")
    Initialize initialize();

    /** Whether the application refuses to start if the table is missing or not as it should be. */
    @WithDefault("true")
    boolean validate();
  }

  /** When the readiness check reports DOWN. */
  interface Health {

    /**
     * How old the oldest undelivered event may be, since it was first due or replayed. No limit by
     * default. Without effect in the mode writer-only.
     */
    Optional<Duration> maxLag();

    /** How many events may be DEAD. By default any number. */
    Optional<Integer> maxDead();
  }
}
