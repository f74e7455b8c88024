package io.outbox.wiring;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * The settings of an outbox, whatever framework has read them. Components have the names of the
 * settings, which {@code docs/spring.md} describes. A component that is null, or a blank text,
 * leaves the builder's default.
 *
 * @param prefix in front of every name, such as {@code outbox}, for messages
 * @param listeners policies by the {@linkplain
 *     io.outbox.wiring.listener.ListenerAddress#settingNames names} of listeners
 */
public record Settings(
    String prefix,
    Mode mode,
    String tableName,
    boolean deleteOnDone,
    boolean virtualThreads,
    Dispatcher dispatcher,
    Retry retry,
    Map<String, Listener> listeners,
    Poller poller,
    ClaimLocking claimLocking,
    OrderedByKey orderedByKey,
    Purge purge,
    Schema schema) {

  /** Checks that no group of settings is null. */
  public Settings {
    Objects.requireNonNull(prefix, "prefix");
    Objects.requireNonNull(mode, "mode");
    Objects.requireNonNull(tableName, "tableName");
    Objects.requireNonNull(dispatcher, "dispatcher");
    Objects.requireNonNull(retry, "retry");
    listeners = Map.copyOf(Objects.requireNonNull(listeners, "listeners"));
    Objects.requireNonNull(poller, "poller");
    Objects.requireNonNull(claimLocking, "claimLocking");
    Objects.requireNonNull(orderedByKey, "orderedByKey");
    Objects.requireNonNull(purge, "purge");
    Objects.requireNonNull(schema, "schema");
  }

  /** The whole name of a setting. */
  String name(String setting) {
    return prefix + "." + setting;
  }

  /** How events are delivered. */
  public enum Mode {
    /** From the commit on, and by a poller; one process on the table. */
    SINGLE_NODE,
    /** The same under leases; many processes on the table. */
    MULTI_NODE,
    /** By the poller, in the order they were written; one worker, one attempt, one process. */
    ORDERED,
    /** The events of each key in order, retries included; many processes on the table. */
    ORDERED_BY_KEY,
    /** Not at all: change data capture or another process does. */
    WRITER_ONLY
  }

  /** What happens to the events of a key behind a DEAD event. */
  public enum AfterDead {
    /** They are delivered. */
    CONTINUE,
    /** They wait until that event is replayed and done, or the block is lifted. */
    BLOCK
  }

  /** When the table is created. */
  public enum Initialize {
    /** If the database is in memory: H2, HSQLDB or Derby. */
    EMBEDDED,
    /** If it is missing. */
    ALWAYS,
    /** Never: a migration does it. */
    NEVER
  }

  /** Where old events are moved to. */
  public enum ArchiveTarget {
    /** Nowhere: they are deleted. */
    NONE,
    /** To the archive table beside the outbox table. */
    TABLE,
    /** To compressed files of JSON Lines. */
    FILES
  }

  /** How events are delivered. */
  public record Dispatcher(
      Integer workerCount,
      Integer maxInFlight,
      Duration listenerTimeout,
      Duration missingListenerGrace,
      Integer hotQueueCapacity,
      Integer coldQueueCapacity,
      Long maxQueuedBytes,
      Long drainTimeoutMs,
      boolean checkRowsBeforeHotDelivery) {}

  /** What happens after a failure. */
  public record Retry(Integer maxAttempts, Duration maxAge, long baseDelayMs, long maxDelayMs) {}

  /** The policy of one listener. */
  public record Listener(
      Integer maxAttempts,
      Duration maxAge,
      Delays retry,
      List<Class<? extends Throwable>> retryNever,
      List<Class<? extends Throwable>> retryAlways,
      Duration timeout,
      Integer concurrency,
      RateLimit rateLimit) {

    /** Copies the lists. */
    public Listener {
      retryNever = List.copyOf(Objects.requireNonNull(retryNever, "retryNever"));
      retryAlways = List.copyOf(Objects.requireNonNull(retryAlways, "retryAlways"));
    }
  }

  /** How long the failed events of one listener wait. */
  public record Delays(long baseDelayMs, long maxDelayMs) {}

  /** How many calls of one listener start in a period at most. */
  public record RateLimit(int events, Duration period) {}

  /** How the table is searched for events. */
  public record Poller(Long intervalMs, Integer batchSize, long skipRecentMs) {}

  /** Leases on events. */
  public record ClaimLocking(boolean enabled, String ownerId, Duration lockTimeout) {}

  /** Order by key. */
  public record OrderedByKey(
      String node, Duration lease, Duration handover, Boolean notifications, AfterDead afterDead) {}

  /** Deleting old events. */
  public record Purge(
      boolean enabled,
      Duration retention,
      Integer batchSize,
      Long intervalSeconds,
      Archive archive,
      Rotation rotation) {

    /** Checks that no group of settings is null. */
    public Purge {
      Objects.requireNonNull(archive, "archive");
      Objects.requireNonNull(rotation, "rotation");
    }
  }

  /** Keeping old events. */
  public record Archive(ArchiveTarget to, Path directory, long maxPartSize) {}

  /** A table in partitions by seq, which leave as a whole. */
  public record Rotation(boolean enabled, long eventsPerPartition, int partitionsAhead) {}

  /** The outbox table. */
  public record Schema(Initialize initialize, boolean validate) {}
}
