package io.outbox.quarkus.runtime;

import io.outbox.wiring.Settings;
import io.outbox.wiring.listener.ListenerPolicies;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Makes the settings of an outbox from those of Quarkus. */
final class QuarkusSettings {

  private static final String PREFIX = "quarkus.outbox";

  private QuarkusSettings() {}

  static Settings of(OutboxConfig from) {
    return new Settings(
        PREFIX,
        from.mode(),
        from.tableName(),
        from.deleteOnDone(),
        from.virtualThreads(),
        dispatcher(from.dispatcher()),
        new Settings.Retry(
            from.retry().maxAttempts(),
            from.retry().maxAge().orElse(null),
            from.retry().baseDelayMs(),
            from.retry().maxDelayMs()),
        listeners(from.listeners()),
        new Settings.Poller(
            from.poller().intervalMs(), from.poller().batchSize(), from.poller().skipRecentMs()),
        new Settings.ClaimLocking(
            from.claimLocking().enabled(),
            from.claimLocking().ownerId().orElse(null),
            from.claimLocking().lockTimeout()),
        orderedByKey(from.orderedByKey()),
        purge(from.purge()),
        new Settings.Schema(from.schema().initialize(), from.schema().validate()));
  }

  private static Settings.Dispatcher dispatcher(OutboxConfig.Dispatcher from) {
    return new Settings.Dispatcher(
        from.workerCount(),
        from.maxInFlight(),
        from.listenerTimeout().orElse(null),
        from.missingListenerGrace(),
        from.hotQueueCapacity(),
        from.coldQueueCapacity(),
        from.maxQueuedBytes().asLongValue(),
        from.drainTimeoutMs(),
        from.checkRowsBeforeHotDelivery());
  }

  private static Map<String, Settings.Listener> listeners(Map<String, OutboxConfig.Listener> from) {
    Map<String, Settings.Listener> listeners = new TreeMap<>();
    from.forEach((name, listener) -> listeners.put(name, listener(name, listener)));
    return listeners;
  }

  private static Settings.Listener listener(String name, OutboxConfig.Listener from) {
    String prefix = PREFIX + ".listeners." + name;
    return new Settings.Listener(
        from.maxAttempts().orElse(null),
        from.maxAge().orElse(null),
        from.retry()
            .map(delays -> new Settings.Delays(delays.baseDelayMs(), delays.maxDelayMs()))
            .orElse(null),
        exceptions(prefix + ".retry-never", from.retryNever().orElse(List.of())),
        exceptions(prefix + ".retry-always", from.retryAlways().orElse(List.of())),
        from.timeout().orElse(null),
        from.concurrency().orElse(null),
        from.rateLimit()
            .map(limit -> new Settings.RateLimit(limit.events(), limit.period()))
            .orElse(null));
  }

  private static List<Class<? extends Throwable>> exceptions(String key, List<String> names) {
    ClassLoader loader = Thread.currentThread().getContextClassLoader();
    return ListenerPolicies.exceptions(key, names, loader);
  }

  private static Settings.OrderedByKey orderedByKey(OutboxConfig.OrderedByKey from) {
    return new Settings.OrderedByKey(
        from.node().orElse(null),
        from.lease(),
        from.handover(),
        from.notifications().orElse(null),
        from.afterDead());
  }

  private static Settings.Purge purge(OutboxConfig.Purge from) {
    return new Settings.Purge(
        from.enabled(),
        from.retention(),
        from.batchSize(),
        from.intervalSeconds(),
        new Settings.Archive(
            from.archive().to(),
            from.archive().directory().orElse(null),
            from.archive().maxPartSize().asLongValue()),
        new Settings.Rotation(
            from.rotation().enabled(),
            from.rotation().eventsPerPartition(),
            from.rotation().partitionsAhead()));
  }
}
