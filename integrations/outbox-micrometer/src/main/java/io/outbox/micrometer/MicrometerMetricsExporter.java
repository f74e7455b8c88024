package io.outbox.micrometer;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.outbox.spi.Backlog;
import io.outbox.spi.MetricsExporter;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Reports to a {@link MeterRegistry}. Meters have only the tags you pass, so there are few time
 * series. A {@code MeterFilter} switches histograms on. Two outboxes in one registry need two
 * prefixes, or different tags; with equal names the gauges show the second outbox. Thread-safe.
 */
public final class MicrometerMetricsExporter implements MetricsExporter {

  private static final String DEFAULT_PREFIX = "outbox";

  private final MeterRegistry registry;
  private final String prefix;
  private final Tags tags;

  private final Counter hotEnqueued;
  private final Counter hotDropped;
  private final Counter hotSkippedDelayed;
  private final Counter hotSkippedPaused;
  private final Counter hotSkippedOutage;
  private final Counter coldEnqueued;
  private final Counter success;
  private final Counter failure;
  private final Counter dead;
  private final Counter deferred;
  private final Counter heldBack;
  private final Timer commitToListener;
  private final Timer dueToListener;
  private final Timer listenerDuration;
  private final DistributionSummary failedAttempts;
  private final AtomicLong hotDepth;
  private final AtomicLong coldDepth;
  private final AtomicLong oldestLagMs;
  private final AtomicLong pendingEvents;
  private final AtomicLong deadEvents;
  private final AtomicLong lanesOwned;
  private final Counter lanesTaken;
  private final AtomicLong parkedKeys;
  private final AtomicLong blockedKeys;
  private final AtomicLong waitingForListeners;
  private final AtomicLong unavailableListeners;
  private final AtomicLong unavailableDestinations;
  private final AtomicLong pauses;
  private final AtomicLong secondProcesses;
  private final AtomicLong missingListeners;

  /** With the prefix {@code outbox}. */
  public MicrometerMetricsExporter(MeterRegistry registry) {
    this(registry, DEFAULT_PREFIX);
  }

  /**
   * With another prefix, for the second outbox of a process. A trailing dot is removed.
   *
   * @throws IllegalArgumentException if the prefix is blank
   */
  public MicrometerMetricsExporter(MeterRegistry registry, String namePrefix) {
    this(registry, namePrefix, Tags.empty());
  }

  /**
   * With a prefix and tags, to compare several outboxes of one process. All of them need the same
   * tag names.
   *
   * @throws IllegalArgumentException if the prefix is blank
   */
  public MicrometerMetricsExporter(MeterRegistry registry, String namePrefix, Iterable<Tag> tags) {
    this.tags = Tags.of(Objects.requireNonNull(tags, "tags"));
    this.registry = Objects.requireNonNull(registry, "registry");
    this.prefix = withoutLastDots(Objects.requireNonNull(namePrefix, "namePrefix"));
    if (prefix.isBlank()) {
      throw new IllegalArgumentException("namePrefix must not be blank");
    }
    hotEnqueued = counter("enqueue.hot", "Events queued straight from their commit");
    hotDropped =
        counter(
            "enqueue.hot.dropped",
            "Committed events handed to the poller because the hot queue is full");
    hotSkippedDelayed =
        counter("enqueue.hot.skipped.delayed", "Delayed events handed to the poller");
    hotSkippedPaused = counter("enqueue.hot.skipped.paused", "Paused events handed to the poller");
    hotSkippedOutage =
        counter(
            "enqueue.hot.skipped.outage",
            "Events of listeners that are down, handed to the poller");
    coldEnqueued = counter("enqueue.cold", "Events queued by the poller");
    success = counter("dispatch.success", "Events that became DONE");
    failure = counter("dispatch.failure", "Failed attempts that will be retried");
    dead = counter("dispatch.dead", "Events that became DEAD");
    deferred = counter("dispatch.deferred", "Deliveries that the listener deferred");
    heldBack =
        counter("dispatch.heldback", "Events deferred by the engine because a listener is down");
    commitToListener =
        timer("delivery.hot", "Time from the commit to the listener, on the hot path");
    dueToListener = timer("delivery.cold", "Time from due to the listener, on the cold path");
    listenerDuration = timer("listener.duration", "Duration of a listener call");
    failedAttempts =
        DistributionSummary.builder(name("attempts.failed"))
            .tags(tags)
            .description("Failed attempts per event that became DONE or DEAD")
            .register(registry);
    hotDepth = gauge("queue.hot.depth", "Events in the hot queue");
    coldDepth = gauge("queue.cold.depth", "Events in the cold queue");
    oldestLagMs =
        gauge(
            "lag.oldest.ms",
            "Age of the oldest undelivered event since it was first due or replayed");
    pendingEvents = gauge("events.pending", "Events waiting in the table, counted up to 10,000");
    deadEvents = gauge("events.dead", "DEAD events in the table, counted up to 10,000");
    lanesOwned = gauge("lanes.owned", "Lanes that this node owns, with order by key");
    lanesTaken = counter("lanes.taken", "Lanes taken over: free ones, or from other nodes");
    parkedKeys = gauge("keys.parked", "Keys whose first event waits for its retry or delay");
    blockedKeys = gauge("keys.blocked", "Keys blocked by a DEAD event, up to 1,000");
    waitingForListeners =
        gauge("listeners.waiting", "Events waiting in memory for a place or rate of a listener");
    unavailableListeners =
        gauge("listeners.unavailable", "Listeners not called because their destination is down");
    unavailableDestinations =
        gauge("destinations.unavailable", "Missing destinations, whose events wait");
    missingListeners = gauge("listeners.missing", "Event types that no node has a listener for");
    pauses = gauge("delivery.pauses", "Pauses of delivery that operators have set");
    secondProcesses =
        gauge("nodes.second", "Other processes that deliver in a single-process mode");
  }

  /** Two dots in a row would be names that no dashboard looks for. */
  private static String withoutLastDots(String prefix) {
    int end = prefix.length();
    while (end > 0 && prefix.charAt(end - 1) == '.') {
      end--;
    }
    return prefix.substring(0, end);
  }

  private String name(String name) {
    return prefix + "." + name;
  }

  private Counter counter(String name, String description) {
    return Counter.builder(name(name)).tags(tags).description(description).register(registry);
  }

  private Timer timer(String name, String description) {
    return Timer.builder(name(name)).tags(tags).description(description).register(registry);
  }

  private AtomicLong gauge(String name, String description) {
    AtomicLong value = new AtomicLong();
    // A registry keeps the first gauge of a name, which is that of an outbox that may be gone.
    registry.removeByPreFilterId(new Meter.Id(name(name), tags, null, null, Meter.Type.GAUGE));
    Gauge.builder(name(name), value, AtomicLong::get)
        .tags(tags)
        .description(description)
        .strongReference(true)
        .register(registry);
    return value;
  }

  @Override
  public void incrementHotEnqueued() {
    hotEnqueued.increment();
  }

  @Override
  public void incrementHotDropped() {
    hotDropped.increment();
  }

  @Override
  public void incrementColdEnqueued() {
    coldEnqueued.increment();
  }

  @Override
  public void incrementDispatchSuccess() {
    success.increment();
  }

  @Override
  public void incrementDispatchFailure() {
    failure.increment();
  }

  @Override
  public void incrementDispatchDead() {
    dead.increment();
  }

  @Override
  public void incrementDispatchDeferred() {
    deferred.increment();
  }

  @Override
  public void incrementDispatchHeldBack() {
    heldBack.increment();
  }

  @Override
  public void incrementHotSkippedDelayed() {
    hotSkippedDelayed.increment();
  }

  @Override
  public void incrementHotSkippedPaused() {
    hotSkippedPaused.increment();
  }

  @Override
  public void incrementHotSkippedOutage() {
    hotSkippedOutage.increment();
  }

  @Override
  public void recordQueueDepths(int hot, int cold) {
    hotDepth.set(hot);
    coldDepth.set(cold);
  }

  @Override
  public void recordOldestLagMs(long lagMs) {
    oldestLagMs.set(lagMs);
  }

  @Override
  public void recordCommitToListener(long nanos) {
    commitToListener.record(nanos, TimeUnit.NANOSECONDS);
  }

  @Override
  public void recordDueToListener(long nanos) {
    dueToListener.record(Math.max(0, nanos), TimeUnit.NANOSECONDS);
  }

  @Override
  public void recordListenerDuration(long nanos) {
    listenerDuration.record(nanos, TimeUnit.NANOSECONDS);
  }

  @Override
  public void recordFailedAttempts(int attempts) {
    failedAttempts.record(attempts);
  }

  @Override
  public boolean wantsBacklog() {
    return true;
  }

  @Override
  public void recordBacklog(Backlog backlog) {
    pendingEvents.set(backlog.pending());
    deadEvents.set(backlog.dead());
  }

  @Override
  public void recordLanesOwned(int lanes) {
    lanesOwned.set(lanes);
  }

  @Override
  public void recordLanesTaken(int lanes) {
    lanesTaken.increment(lanes);
  }

  @Override
  public void recordParkedKeys(int keys) {
    parkedKeys.set(keys);
  }

  @Override
  public void recordBlockedKeys(int keys) {
    blockedKeys.set(keys);
  }

  @Override
  public void recordWaitingForListeners(int events) {
    waitingForListeners.set(events);
  }

  @Override
  public void recordUnavailableListeners(int listeners) {
    unavailableListeners.set(listeners);
  }

  @Override
  public void recordUnavailableDestinations(int destinations) {
    unavailableDestinations.set(destinations);
  }

  @Override
  public void recordDeliveryPauses(int count) {
    pauses.set(count);
  }

  @Override
  public void recordMissingListeners(int routes) {
    missingListeners.set(routes);
  }

  @Override
  public void recordSecondProcesses(int processes) {
    secondProcesses.set(processes);
  }
}
