package io.outbox.micronaut;

import io.outbox.wiring.Settings;

/** Makes the settings of an outbox from the properties. */
final class MicronautSettings {

  private MicronautSettings() {}

  static Settings of(OutboxConfiguration from, ListenerProperties listeners) {
    return new Settings(
        OutboxConfiguration.PREFIX,
        from.mode(),
        from.tableName(),
        from.deleteOnDone(),
        from.virtualThreads(),
        dispatcher(from.dispatcher()),
        new Settings.Retry(
            from.retry().maxAttempts(),
            from.retry().maxAge(),
            from.retry().baseDelayMs(),
            from.retry().maxDelayMs()),
        listeners.read(),
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

  private static Settings.Dispatcher dispatcher(OutboxConfiguration.Dispatcher from) {
    return new Settings.Dispatcher(
        from.workerCount(),
        from.maxInFlight(),
        from.listenerTimeout(),
        from.missingListenerGrace(),
        from.hotQueueCapacity(),
        from.coldQueueCapacity(),
        from.maxQueuedBytes(),
        from.drainTimeoutMs(),
        from.checkRowsBeforeHotDelivery());
  }

  private static Settings.OrderedByKey orderedByKey(OutboxConfiguration.OrderedByKey from) {
    return new Settings.OrderedByKey(
        from.node(), from.lease(), from.handover(), from.notifications(), from.afterDead());
  }

  private static Settings.Purge purge(OutboxConfiguration.Purge from) {
    return new Settings.Purge(
        from.enabled(),
        from.retention(),
        from.batchSize(),
        from.intervalSeconds(),
        new Settings.Archive(
            from.archive().to(), from.archive().directory(), from.archive().maxPartSize()),
        new Settings.Rotation(
            from.rotation().enabled(),
            from.rotation().eventsPerPartition(),
            from.rotation().partitionsAhead()));
  }
}
