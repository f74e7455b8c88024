package io.outbox.internal.engine;

import io.outbox.EventEnvelope;
import io.outbox.internal.RepeatedWarning;
import io.outbox.internal.keyed.EarlyLooks;
import io.outbox.internal.keyed.KeyFeeder;
import io.outbox.internal.keyed.KeyHandover;
import io.outbox.internal.keyed.KeyQueues;
import io.outbox.internal.keyed.KeyScan;
import io.outbox.internal.keyed.KeyedDelivery;
import io.outbox.internal.keyed.KeyedOutcomes;
import io.outbox.internal.keyed.KeyedSettler;
import io.outbox.internal.keyed.LaneReader;
import io.outbox.internal.keyed.LoneKeys;
import io.outbox.internal.keyed.StoredBlocks;
import io.outbox.internal.keyed.WantedKeys;
import io.outbox.internal.lanes.LaneKeeper;
import io.outbox.internal.lanes.OwnedLanes;
import io.outbox.internal.queue.HeldEvents;
import io.outbox.internal.record.OutcomeRecorder;
import io.outbox.internal.record.OutcomeSettler;
import io.outbox.internal.settings.OutboxSettings;
import io.outbox.internal.signals.CommitSignals;
import io.outbox.internal.store.BacklogReport;
import io.outbox.internal.store.LagReport;
import io.outbox.internal.time.EngineThread;
import io.outbox.internal.time.StandstillClock;
import io.outbox.internal.time.WakeUps;
import io.outbox.spi.Outcome;
import io.outbox.spi.lanes.Lane;
import io.outbox.spi.lanes.LaneStore;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** The events of each key one after the other, from the lanes that this node owns. */
public final class KeyedQueue implements EngineQueue<KeyedDelivery> {

  /** How long to wait at the end for a read that is under way: what it brings is not started. */
  private static final long MAX_READ_NANOS = TimeUnit.SECONDS.toNanos(1);

  private static final long WATCH_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private static final Duration AGAIN = Duration.ofMillis(100);

  /** Rows per statement, if the store does not limit their bytes. */
  private static final int FEW_ROWS = 100;

  private static final int MANY_ROWS = 1000;

  private final EngineParts<KeyedDelivery> parts;
  private final OwnedLanes lanes;
  private final LaneKeeper keeper;
  private final HeldEvents held = new HeldEvents(this::expired);
  private final WantedKeys wanted;
  private final KeyQueues queues;
  private final KeyFeeder feeder;
  private final EarlyLooks looks;
  private final OutcomeRecorder<KeyedDelivery> recorder;
  private final CommitSignals news; // null: other nodes' events wait for the interval
  private final KeyedCommits commits;
  private final EngineThread watch;
  private final RepeatedWarning warning = new RepeatedWarning(KeyedQueue.class, Level.WARNING);

  KeyedQueue(EngineParts<KeyedDelivery> parts) {
    this.parts = parts;
    OutboxSettings from = parts.settings;
    LaneStore store = from.outboxStore.lanes().orElseThrow();
    parts.calls.under(from.laneLease);
    lanes = lanes(from);
    wanted = new WantedKeys(parts.clock, held);
    queues =
        new KeyQueues(
            parts.clock, from.queueCapacity(), from.maxQueuedBytes, from.blockAfterDead, wanted);
    StoredBlocks blocks =
        new StoredBlocks(parts.session, store, parts.metrics, from.blockAfterDead);
    feeder = feeder(store, from, blocks);
    looks = looks(store, from, blocks);
    recorder = recorder(store, from);
    keeper = keeper(store, from);
    news = !Boolean.FALSE.equals(from.notifications) ? signals(store) : null;
    commits = new KeyedCommits(parts, lanes, wanted, queues.intake(), looks, news);
    watch = new EngineThread("outbox-lane-watch-", "lanes cannot be watched", this::watch);
  }

  private static OwnedLanes lanes(OutboxSettings from) {
    Duration margin = from.laneLease.dividedBy(10);
    return new OwnedLanes(
        from.node, new StandstillClock(), from.laneLease, margin, from.laneHandover);
  }

  private KeyFeeder feeder(LaneStore store, OutboxSettings from, StoredBlocks blocks) {
    LaneReader reader =
        new LaneReader(
            parts.session,
            store,
            parts.clock,
            parts.halted,
            store.limitsBytesOfKeys() ? MANY_ROWS : FEW_ROWS);
    KeyHandover handover =
        new KeyHandover(reader, blocks, parts.clock, held, queues.intake(), wanted, parts.halted);
    KeyScan scan =
        new KeyScan(
            reader,
            handover,
            parts.halted,
            new BacklogReport(parts.session, parts.metrics),
            new LagReport(parts.session, parts.clock, parts.metrics),
            System::nanoTime,
            TimeUnit.MILLISECONDS.toNanos(from.intervalMs));
    return new KeyFeeder(lanes, wanted, queues.intake(), reader, handover, scan, parts::isReady);
  }

  private EarlyLooks looks(LaneStore store, OutboxSettings from, StoredBlocks blocks) {
    boolean seesEveryRow =
        from.checkRowsBeforeHotDelivery || from.outboxStore.mayLoseRowsInTransaction();
    return new EarlyLooks(
        new LoneKeys(parts.session, store, blocks),
        parts.clock,
        held,
        queues.intake(),
        from.maxQueuedBytes,
        !seesEveryRow);
  }

  private void expired(HeldEvents.Ticket ticket) {
    looks.expired(ticket);
  }

  private OutcomeRecorder<KeyedDelivery> recorder(LaneStore store, OutboxSettings from) {
    KeyedOutcomes outcomes =
        new KeyedOutcomes(
            parts.session, store, from.node, queues, from.blockAfterDead, this::lanesLost);
    OutcomeSettler settler =
        new OutcomeSettler(held, parts.metrics, new WakeUps(), parts.deadLetters);
    return new OutcomeRecorder<>(
        parts.session,
        outcomes,
        new KeyedSettler(settler, queues, lanes, this::again),
        parts.unwritten);
  }

  private LaneKeeper keeper(LaneStore store, OutboxSettings from) {
    return new LaneKeeper(
        parts.session, parts.calls, store, from.node, from.laneLease, lanes, this::lanesChanged);
  }

  private CommitSignals signals(LaneStore store) {
    return new CommitSignals(
        parts.session,
        parts.settings.connectionProvider,
        store,
        parts.clock,
        parts.conditions,
        new LaneNode(parts, lanes, keeper, held, wanted, queues.intake()));
  }

  /** When to read the key of an event again that was not delivered. */
  private Instant again() {
    return parts.clock.now().plus(AGAIN);
  }

  @Override
  public HeldEvents held() {
    return held;
  }

  @Override
  public OutcomeRecorder<KeyedDelivery> recorder() {
    return recorder;
  }

  /** Told what this process writes. */
  public KeyedCommits commits() {
    return commits;
  }

  // ---- begin and end

  @Override
  public void start() {
    keeper.start();
    feeder.start();
    looks.start();
    watch.start();
    if (news != null) {
      news.start();
    }
  }

  @Override
  public void stop(long drainNanos) throws InterruptedException {
    if (news != null) {
      news.close();
    }
    queues.stop();
    parts.policies.close().forEach(this::putBack);
    looks.close();
    feeder.close(Math.min(drainNanos, MAX_READ_NANOS));
    looks.join(Math.min(drainNanos, MAX_READ_NANOS));
  }

  @Override
  public void close(long maxNanos) throws InterruptedException {
    watch.close();
    try {
      keeper.close(maxNanos);
    } finally {
      if (news != null) {
        news.join(maxNanos);
      }
    }
  }

  // ---- what may not be delivered now

  /** What is queued of keys with such an event is read again when that is over. */
  @Override
  public void remove(Predicate<EventEnvelope> unwanted) {
    queues.putBack(delivery -> unwanted.test(delivery.envelope()));
  }

  @Override
  public void resume() {
    feeder.haltEnded();
  }

  @Override
  public void roomAgain() {
    feeder.roomAgain();
  }

  // ---- lanes

  private void lanesChanged(int gained) {
    queues.keepOnly(lanes::isOpen);
    wanted.wake();
    parts.metrics.recordLanesOwned(lanes.size());
    parts.metrics.recordLanesTaken(gained);
  }

  /** Not at the next beat: what is called in a lane of another node is called for nothing. */
  private void lanesLost(Set<Lane> gone) {
    if (gone.stream().filter(lanes::lost).count() > 0) {
      lanesChanged(0);
    }
  }

  /** What still runs in a lane that may soon be another node's is interrupted. */
  private long watch() {
    Set<KeyedDelivery> lost =
        queues.running().stream().filter(this::isLost).collect(Collectors.toSet());
    lost.forEach(KeyedDelivery::interrupt);
    parts.asyncCalls.cancelIf(lost::contains);
    parts.missing.review();
    int waiting = parts.policies.waiting();
    parts.metrics.recordQueueDepths(0, queues.waiting() + waiting);
    parts.metrics.recordWaitingForListeners(waiting);
    parts.metrics.recordParkedKeys(wanted.parkedKeys());
    return WATCH_NANOS;
  }

  private boolean isLost(KeyedDelivery delivery) {
    Lane lane = delivery.lane();
    return lane != null && !lanes.isHeld(lane);
  }

  // ---- for workers

  @Override
  public KeyedDelivery next() throws InterruptedException {
    while (true) {
      KeyedDelivery next = queues.take();
      if (next == null || next.unreadable() == null) {
        return next;
      }
      next.start();
      if (mayStart(next)) {
        finished(
            next,
            Outcome.dead(
                next.ref(),
                next.attempts(),
                parts.clock.now(),
                "cannot be read: " + next.unreadable()),
            true);
      } else {
        putBack(next);
      }
    }
  }

  @Override
  public void again(KeyedDelivery delivery) {
    queues.again(delivery);
  }

  @Override
  public boolean mayStart(KeyedDelivery delivery) {
    if (parts.paused.isPaused(delivery.envelope())) {
      return false;
    }
    if (delivery.lane() != null) {
      return lanes.isHeld(delivery.lane());
    }
    Optional<Lane> lane = lanes.enter(delivery.key().lane());
    if (lane.isPresent() && !queues.mayStart(delivery, lane.get())) {
      lanes.leave(lane.get());
      return false;
    }
    lane.ifPresent(delivery::entered);
    return lane.isPresent();
  }

  @Override
  public void started(KeyedDelivery delivery) {
    delivery.runs();
    if (delivery.dueAt() != null) {
      parts.metrics.recordDueToListener(parts.clock.nanosSince(delivery.dueAt()));
    }
  }

  @Override
  public void returned(KeyedDelivery delivery) {
    delivery.hasRun(); // its thread goes on with another event
  }

  @Override
  public void finished(KeyedDelivery delivery, Outcome outcome, boolean mayWait) {
    delivery.hasRun();
    queues.answered(delivery);
    recorder.submit(delivery, outcome, mayWait);
    try {
      queues.handedOver(delivery, outcome);
    } catch (Throwable e) {
      // The recorder has its outcome: when that is written, its key goes on all the same.
      warning.log(() -> "after the outcome of event " + delivery.eventId(), e);
    }
  }

  @Override
  public void putBack(KeyedDelivery delivery) {
    notCalled(delivery, again());
  }

  /** Nobody else can take it: its key waits here, and nothing need be written. */
  @Override
  public void notCalled(KeyedDelivery delivery, Instant at) {
    delivery.hasRun();
    held.release(delivery);
    queues.putBack(delivery, at);
    if (delivery.lane() != null) {
      lanes.leave(delivery.lane());
    }
    held.signalProgress();
  }
}
