package io.outbox.spring.boot.wiring;

import io.outbox.spring.boot.OutboxProperties;
import io.outbox.util.PrintableLogger;
import io.outbox.wiring.Settings;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import org.springframework.core.env.Environment;

/** Makes the settings of an outbox from the properties, and from Spring Boot's own. */
public final class SpringSettings {

  public static final String PREFIX = "outbox";

  private static final Logger LOG = PrintableLogger.of(SpringSettings.class);

  /** What is left for listeners that do not come back, and for the last outcomes. */
  private static final Duration AFTER_DRAINING = Duration.ofSeconds(1);

  private static final String SHUTDOWN_PHASE = "spring.lifecycle.timeout-per-shutdown-phase";

  /** Spring Boot, too, takes no notice of it on a Java that has no virtual threads. */
  private static final String VIRTUAL_THREADS = "spring.threads.virtual.enabled";

  private static final int VIRTUAL_THREADS_SINCE = 21;

  private SpringSettings() {}

  public static Settings of(OutboxProperties from, Environment environment) {
    return new Settings(
        PREFIX,
        from.mode(),
        from.tableName(),
        from.deleteOnDone(),
        virtualThreads(from.virtualThreads(), environment),
        dispatcher(from.dispatcher(), environment),
        new Settings.Retry(
            from.retry().maxAttempts(),
            from.retry().maxAge(),
            from.retry().baseDelayMs(),
            from.retry().maxDelayMs()),
        listeners(from.listeners()),
        new Settings.Poller(
            from.poller().intervalMs(), from.poller().batchSize(), from.poller().skipRecentMs()),
        new Settings.ClaimLocking(
            from.claimLocking().enabled(),
            from.claimLocking().ownerId(),
            from.claimLocking().lockTimeout()),
        orderedByKey(from.orderedByKey()),
        purge(from.purge()),
        new Settings.Schema(from.schema().initialize(), from.schema().validate()));
  }

  private static boolean virtualThreads(Boolean ofTheOutbox, Environment environment) {
    return ofTheOutbox == null
        ? Runtime.version().feature() >= VIRTUAL_THREADS_SINCE
            && environment.getProperty(VIRTUAL_THREADS, Boolean.class, false)
        : ofTheOutbox;
  }

  private static Settings.Dispatcher dispatcher(
      OutboxProperties.Dispatcher from, Environment environment) {
    return new Settings.Dispatcher(
        from.workerCount(),
        from.maxInFlight(),
        from.listenerTimeout(),
        from.missingListenerGrace(),
        from.hotQueueCapacity(),
        from.coldQueueCapacity(),
        from.maxQueuedBytes().toBytes(),
        drainTimeoutMs(from.drainTimeoutMs(), environment),
        from.checkRowsBeforeHotDelivery());
  }

  /** Beyond its phase Spring goes on and destroys what the listeners need. */
  private static long drainTimeoutMs(long wanted, Environment environment) {
    Duration phase =
        environment.getProperty(SHUTDOWN_PHASE, Duration.class, Duration.ofSeconds(30));
    long possible = Math.max(0, phase.minus(AFTER_DRAINING).toMillis());
    if (wanted > possible) {
      LOG.log(
          Level.WARNING,
          "outbox.dispatcher.drain-timeout-ms is "
              + wanted
              + ", but "
              + SHUTDOWN_PHASE
              + " is "
              + phase.toMillis()
              + " ms: events will be drained for at most "
              + possible
              + " ms");
    }
    return Math.min(wanted, possible);
  }

  /** By the names of listeners. */
  public static Map<String, Settings.Listener> listeners(
      Map<String, OutboxProperties.Listener> from) {
    Map<String, Settings.Listener> listeners = new TreeMap<>();
    from.forEach((name, listener) -> listeners.put(name, listener(listener)));
    return listeners;
  }

  private static Settings.Listener listener(OutboxProperties.Listener from) {
    OutboxProperties.Delays retry = from.retry();
    OutboxProperties.RateLimit limit = from.rateLimit();
    return new Settings.Listener(
        from.maxAttempts(),
        from.maxAge(),
        retry == null ? null : new Settings.Delays(retry.baseDelayMs(), retry.maxDelayMs()),
        from.retryNever(),
        from.retryAlways(),
        from.timeout(),
        from.concurrency(),
        limit == null ? null : new Settings.RateLimit(limit.events(), limit.period()));
  }

  private static Settings.OrderedByKey orderedByKey(OutboxProperties.OrderedByKey from) {
    return new Settings.OrderedByKey(
        from.node(), from.lease(), from.handover(), from.notifications(), from.afterDead());
  }

  private static Settings.Purge purge(OutboxProperties.Purge from) {
    return new Settings.Purge(
        from.enabled(),
        from.retention(),
        from.batchSize(),
        from.intervalSeconds(),
        new Settings.Archive(
            from.archive().to(),
            from.archive().directory(),
            from.archive().maxPartSize().toBytes()),
        new Settings.Rotation(
            from.rotation().enabled(),
            from.rotation().eventsPerPartition(),
            from.rotation().partitionsAhead()));
  }
}
