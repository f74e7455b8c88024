package io.outbox.relay.table;

import io.outbox.Outbox;
import io.outbox.Outbox.ConcurrentBuilder;
import io.outbox.Outbox.DeliveringBuilder;
import io.outbox.Outbox.DispatchingBuilder;
import io.outbox.Outbox.MultiNodeBuilder;
import io.outbox.Outbox.OrderedByKeyBuilder;
import io.outbox.dispatch.ExponentialBackoffRetryPolicy;
import io.outbox.relay.yaml.Section;
import io.outbox.relay.yaml.Values;
import java.time.Duration;

/**
 * The settings of a table that are those of its outbox: what the file has is put into the builder
 * of the mode, whose defaults hold for the rest.
 */
final class TableSettings {

  /** Nobody tells a relay of new events, so it looks often. */
  private static final long INTERVAL_MS = 500;

  private static final Duration CLAIM_TIMEOUT = Duration.ofSeconds(30);
  private static final Duration LONGEST_CLAIM_TIMEOUT = Duration.ofDays(1);
  private static final Duration SHORTEST = Duration.ofMillis(1);
  private static final long DAY_MS = 86_400_000;

  private final DispatchingBuilder<?> builder;
  private boolean notifies;
  private boolean purges;
  private ArchiveSettings archive;
  private Duration drainTimeout;
  private Duration interval;

  /** What becomes of the events of a key behind one that is DEAD. */
  private enum AfterDead {
    CONTINUE,
    BLOCK
  }

  /** What is for other modes is read as well, into a builder that nobody uses. */
  TableSettings(Mode mode, Section table) {
    builder =
        switch (mode) {
          case SINGLE_NODE -> Outbox.singleNode();
          case MULTI_NODE -> Outbox.multiNode();
          case ORDERED -> Outbox.ordered();
          case ORDERED_BY_KEY -> Outbox.orderedByKey();
        };
    Values.of(table).flag("delete-on-done", builder::deleteOnDone);
    ConcurrentBuilder<?> concurrent =
        builder instanceof ConcurrentBuilder<?> it ? it : Outbox.singleNode();
    readDispatcher(table.sectionOrEmpty("dispatcher"), concurrent);
    readRetry(table.sectionOrEmpty("retry"), concurrent);
    readPoller(table.sectionOrEmpty("poller"));
    readPurge(table.sectionOrEmpty("purge"));
    readClaimLocking(
        table.sectionOrEmpty("claim-locking"),
        builder instanceof MultiNodeBuilder it ? it : Outbox.multiNode());
    readOrderedByKey(
        table.sectionOrEmpty("ordered-by-key"),
        builder instanceof OrderedByKeyBuilder it ? it : Outbox.orderedByKey());
  }

  private void readDispatcher(Section section, ConcurrentBuilder<?> concurrent) {
    Values values = Values.of(section);
    values.integer("worker-count", 1, 1000, concurrent::workerCount);
    values.integer("max-in-flight", 1, 100_000, concurrent::maxInFlight);
    values.integer("cold-queue-capacity", 1, 1_000_000, concurrent::coldQueueCapacity);
    values.bytes("max-queued-bytes", 1024, concurrent::maxQueuedBytes);
    DeliveringBuilder<?> delivering =
        builder instanceof DeliveringBuilder<?> it ? it : Outbox.singleNode();
    values.duration("listener-timeout", SHORTEST, delivering::listenerTimeout);
    drainTimeout = Duration.ofMillis(values.number("drain-timeout-ms", 5000, 0, 3_600_000));
    builder.drainTimeoutMs(drainTimeout.toMillis());
    section.done();
  }

  private void readRetry(Section section, ConcurrentBuilder<?> concurrent) {
    Values values = Values.of(section);
    values.integer("max-attempts", 1, Integer.MAX_VALUE, concurrent::maxAttempts);
    values.duration("max-age", SHORTEST, builder::maxAge);
    long base = values.number("base-delay-ms", 200, 1, DAY_MS);
    long max = values.number("max-delay-ms", Math.max(60_000, base), 1, DAY_MS);
    if (max < base) {
      section.problem("max-delay-ms", "must not be below base-delay-ms, which is " + base);
    } else {
      concurrent.retryPolicy(new ExponentialBackoffRetryPolicy(base, max));
    }
    section.done();
  }

  private void readPoller(Section section) {
    Values values = Values.of(section);
    interval = Duration.ofMillis(values.number("interval-ms", INTERVAL_MS, 1, DAY_MS));
    builder.intervalMs(interval.toMillis());
    values.integer("batch-size", 1, 10_000, builder::batchSize);
    section.done();
  }

  private void readPurge(Section section) {
    Values values = Values.of(section);
    purges = values.flag("enabled", false);
    values.duration("retention", Duration.ZERO, builder::purgeRetention);
    values.integer("batch-size", 1, 100_000, builder::purgeBatchSize);
    values.number("interval-seconds", 1, Integer.MAX_VALUE, builder::purgeIntervalSeconds);
    archive = new ArchiveSettings(section.sectionOrEmpty("archive"));
    section.done();
  }

  private static void readClaimLocking(Section section, MultiNodeBuilder claiming) {
    Values values = Values.of(section);
    Duration timeout = values.duration("lock-timeout", CLAIM_TIMEOUT, Duration.ofMillis(100));
    if (timeout.compareTo(LONGEST_CLAIM_TIMEOUT) > 0) {
      section.problem("lock-timeout", "must be at most " + LONGEST_CLAIM_TIMEOUT.toDays() + "d");
      timeout = CLAIM_TIMEOUT;
    }
    Duration checked = timeout;
    claiming.claimLocking(checked);
    values.text("owner-id", owner -> claiming.claimLocking(owner, checked));
    section.done();
  }

  private void readOrderedByKey(Section section, OrderedByKeyBuilder byKey) {
    Values values = Values.of(section);
    values.text("node", byKey::node);
    values.duration("lease", Duration.ofMillis(500), byKey::laneLease);
    values.duration("handover", SHORTEST, byKey::laneHandover);
    notifies = values.flag("notifications", false);
    byKey.notifications(notifies);
    if (values.choice("after-dead", AfterDead.class, AfterDead.CONTINUE) == AfterDead.BLOCK) {
      byKey.blockAfterDead();
    }
    section.done();
  }

  /** Of the mode, with all settings that the file has. */
  DispatchingBuilder<?> builder() {
    return builder;
  }

  /** Whether it listens to the database, for which it keeps a connection. */
  boolean notifies() {
    return notifies;
  }

  /** Whether old events are deleted. */
  boolean purges() {
    return purges;
  }

  /** What becomes of old events besides. */
  ArchiveSettings archive() {
    return archive;
  }

  /** How long closing lets events be delivered that are queued. */
  Duration drainTimeout() {
    return drainTimeout;
  }

  /** How often it looks for new events. */
  Duration interval() {
    return interval;
  }
}
