package io.outbox.spi;

import io.outbox.model.Backlog;

/**
 * Told what the engine does. Called from many threads; must be fast and must not block. What it
 * throws is logged and otherwise ignored.
 */
public interface MetricsExporter {

  /** Ignores everything. */
  MetricsExporter NOOP = new Noop();

  void incrementHotEnqueued();

  /** The hot queue was full; the poller will deliver the event. */
  void incrementHotDropped();

  void incrementColdEnqueued();

  /** DONE is in the database. */
  void incrementDispatchSuccess();

  /** RETRY is in the database. */
  void incrementDispatchFailure();

  /** DEAD is in the database. */
  void incrementDispatchDead();

  /** A listener deferred its event, and that is in the database. */
  default void incrementDispatchDeferred() {}

  /** A delayed event was left to the poller. */
  default void incrementHotSkippedDelayed() {}

  void recordQueueDepths(int hotDepth, int coldDepth);

  /** How long the oldest event that is due has been waiting. */
  void recordOldestLagMs(long lagMs);

  /** A listener was called this long after the event's commit, on the hot path. */
  default void recordCommitToListener(long nanos) {}

  /** A listener was called this long after the event was due, through the poller. */
  default void recordDueToListener(long nanos) {}

  /** A listener, with the interceptors around it, took this long. */
  default void recordListenerDuration(long nanos) {}

  /** An event became DONE or DEAD after this many failed attempts. */
  default void recordFailedAttempts(int attempts) {}

  /** How many lanes this node owns; only with order by key, like the next three. */
  default void recordLanesOwned(int lanes) {}

  /** So many lanes were taken, from nobody, a node that left or one that died. */
  default void recordLanesTaken(int lanes) {}

  /** How many keys wait for the retry or the delay of their first event, as far as known here. */
  default void recordParkedKeys(int keys) {}

  /** How many keys of this node's lanes wait because an event is DEAD; 1000 means that or more. */
  default void recordBlockedKeys(int keys) {}

  /** How many listeners are not called now because their destination is down. */
  default void recordUnavailableListeners(int listeners) {}

  /** How many pauses of operators this node keeps to; the same on all nodes, or soon. */
  default void recordDeliveryPauses(int pauses) {}

  /** Whether {@link #recordBacklog} is of use; the table is only looked at if so. */
  default boolean wantsBacklog() {
    return false;
  }

  /** What is in the table, about every half minute. */
  default void recordBacklog(Backlog backlog) {}

  /** See {@link #NOOP}. */
  class Noop implements MetricsExporter {
    public Noop() {}

    @Override
    public void incrementHotEnqueued() {}

    @Override
    public void incrementHotDropped() {}

    @Override
    public void incrementColdEnqueued() {}

    @Override
    public void incrementDispatchSuccess() {}

    @Override
    public void incrementDispatchFailure() {}

    @Override
    public void incrementDispatchDead() {}

    @Override
    public void recordQueueDepths(int hotDepth, int coldDepth) {}

    @Override
    public void recordOldestLagMs(long lagMs) {}
  }
}
