package io.outbox.spi;

/**
 * Receives the metrics of the engine. Called from many threads; must be fast and must not block.
 * Exceptions are logged and otherwise ignored.
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

  /**
   * The engine deferred an event without counting an attempt, mostly because its listener or the
   * destination is down. Counted when that is in the database.
   */
  default void incrementDispatchHeldBack() {}

  /** A delayed event was handed to the poller. */
  default void incrementHotSkippedDelayed() {}

  /** A paused event was handed to the poller. */
  default void incrementHotSkippedPaused() {}

  /** An event whose listener is down, or not on this node, was handed to the poller. */
  default void incrementHotSkippedOutage() {}

  void recordQueueDepths(int hotDepth, int coldDepth);

  /**
   * The age of the oldest undelivered event since it was first due or replayed, whatever it waits
   * for. With a store that cannot tell: how long the oldest event of a poll has been due.
   */
  void recordOldestLagMs(long lagMs);

  /** Whether to call {@link #recordOldestLagMs}, which needs a query. */
  default boolean wantsLag() {
    return true;
  }

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

  /** This node took lanes: free ones, or those of a node that left or died. */
  default void recordLanesTaken(int lanes) {}

  /** How many keys wait for the retry or the delay of their first event, known to this node. */
  default void recordParkedKeys(int keys) {}

  /** How many keys of this node's lanes wait because an event is DEAD; 1000 means that or more. */
  default void recordBlockedKeys(int keys) {}

  /** How many events wait in memory for a place or the rate limit of their listener. */
  default void recordWaitingForListeners(int events) {}

  /** How many listeners are not called now because their destination is down. */
  default void recordUnavailableListeners(int listeners) {}

  /** How many destinations are missing; their events wait, and their listener continues. */
  default void recordUnavailableDestinations(int destinations) {}

  /** How many event types no live node has a listener for; soon the same on all nodes. */
  default void recordMissingListeners(int routes) {}

  /** How many pauses this node observes; soon the same on all nodes. */
  default void recordDeliveryPauses(int pauses) {}

  /** How many other processes deliver next to this one, in a single-process mode. */
  default void recordSecondProcesses(int processes) {}

  /** Whether to call {@link #recordBacklog}, which needs a query. */
  default boolean wantsBacklog() {
    return false;
  }

  /** The contents of the table, about every half minute. */
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

    /** A subclass may do something with it. */
    @Override
    public boolean wantsLag() {
      return getClass() != Noop.class;
    }
  }
}
