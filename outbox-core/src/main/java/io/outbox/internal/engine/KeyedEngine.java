package io.outbox.internal.engine;

import io.outbox.EventEnvelope;
import io.outbox.internal.Conditions;
import io.outbox.internal.RepeatedWarning;
import io.outbox.internal.SafeMetrics;
import io.outbox.internal.VirtualThreads;
import io.outbox.internal.call.AsyncCalls;
import io.outbox.internal.call.CircuitBreaker;
import io.outbox.internal.call.CircuitBreakers;
import io.outbox.internal.call.Deliverer;
import io.outbox.internal.call.DeliveryWorkers;
import io.outbox.internal.call.Listeners;
import io.outbox.internal.call.MissingListeners;
import io.outbox.internal.keyed.HaltedRoutes;
import io.outbox.internal.keyed.KeyFeeder;
import io.outbox.internal.keyed.KeyQueues;
import io.outbox.internal.keyed.KeyedDelivery;
import io.outbox.internal.keyed.KeyedOutcomes;
import io.outbox.internal.keyed.WantedKeys;
import io.outbox.internal.lanes.LaneKeeper;
import io.outbox.internal.lanes.OwnedLanes;
import io.outbox.internal.member.Membership;
import io.outbox.internal.member.PauseWatch;
import io.outbox.internal.member.PausedRoutes;
import io.outbox.internal.queue.Delivery;
import io.outbox.internal.queue.HeldEvents;
import io.outbox.internal.record.DeadLetters;
import io.outbox.internal.record.OutcomeDecision;
import io.outbox.internal.record.OutcomeRecorder;
import io.outbox.internal.record.OutcomeSettler;
import io.outbox.internal.record.UnwrittenOutcomes;
import io.outbox.internal.settings.OutboxSettings;
import io.outbox.internal.signals.CommitSignals;
import io.outbox.internal.store.CallWatch;
import io.outbox.internal.store.StoreSession;
import io.outbox.internal.time.EngineClock;
import io.outbox.internal.time.EngineThread;
import io.outbox.internal.time.StandstillClock;
import io.outbox.internal.time.WakeUps;
import io.outbox.model.EventKey;
import io.outbox.model.EventRoute;
import io.outbox.operate.Condition;
import io.outbox.spi.Member;
import io.outbox.spi.MemberDetail;
import io.outbox.spi.MetricsExporter;
import io.outbox.spi.Outcome;
import io.outbox.spi.lanes.DueEvent;
import io.outbox.spi.lanes.Lane;
import io.outbox.spi.lanes.LaneStore;
import io.outbox.util.DaemonThreadFactory;
import io.outbox.util.PrintableLogger;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** Delivers the events of each key one after the other, from the lanes that this node owns. */
public final class KeyedEngine implements AutoCloseable {

  private static final Logger LOG = PrintableLogger.of(KeyedEngine.class);
  private static final String WORKER_NAMES = "outbox-worker-";
  private static final long FORCED_END_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  /** How long to wait at the end for a read that is under way: what it brings is not started. */
  private static final long MAX_READ_NANOS = TimeUnit.SECONDS.toNanos(1);

  private static final long LAST_WRITES_NANOS = TimeUnit.SECONDS.toNanos(2);
  private static final long MAX_SETTLING_NANOS = TimeUnit.SECONDS.toNanos(10);
  private static final long WATCH_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
  private static final Duration AGAIN = Duration.ofMillis(100);

  /** Less than how far each look for due events goes back. */
  private static final Duration LATE = Duration.ofMillis(500);

  /** Rows per statement, if the store does not limit their bytes. */
  private static final int FEW_ROWS = 100;

  private static final int MANY_ROWS = 1000;

  private final EngineClock clock;
  private final Conditions conditions;
  private final CallWatch calls;
  private final MetricsExporter metrics;
  private final OwnedLanes lanes;
  private final LaneKeeper keeper;
  private final HeldEvents held = new HeldEvents();
  private final WantedKeys wanted;
  private final KeyFeeder feeder;
  private final KeyQueues queues;
  private final OutcomeRecorder recorder;
  private final AsyncCalls asyncCalls;
  private final CircuitBreakers breakers;
  private final MissingListeners missing;
  private final Membership members;
  private final PauseWatch pauses;
  private final PausedRoutes paused;
  private final DeliveryWorkers workers;
  private final DeadLetters deadLetters;
  private final long drainNanos;
  private final CommitSignals news; // null: other nodes' events wait for the interval
  private final EngineThread watch;
  private final RepeatedWarning warning = new RepeatedWarning(LOG, Level.WARNING);
  private boolean closed;

  /** An engine that runs. */
  public static KeyedEngine start(OutboxSettings settings) {
    KeyedEngine engine = new KeyedEngine(settings);
    try {
      engine.startThreads();
    } catch (Throwable failure) {
      engine.stop();
      throw failure;
    }
    return engine;
  }

  private KeyedEngine(OutboxSettings from) {
    LaneStore store = from.outboxStore.lanes().orElseThrow();
    clock = new EngineClock(from.clock);
    conditions = new Conditions(clock::now);
    calls = new CallWatch(conditions).under(from.laneLease);
    StoreSession session = new StoreSession(from.connectionProvider, from.outboxStore, calls);
    metrics = new SafeMetrics(from.metrics);
    drainNanos = TimeUnit.MILLISECONDS.toNanos(from.drainTimeoutMs);
    deadLetters = new DeadLetters(from.onDead);
    members =
        new Membership(
            session, from.node, from.mode, conditions, metrics, this::detail, new OtherNodes());
    pauses = new PauseWatch(session, metrics, members::mayDeliver, this::pausesChanged);
    paused = pauses.paused();
    lanes =
        new OwnedLanes(
            from.node,
            new StandstillClock(),
            from.laneLease,
            from.laneLease.dividedBy(10),
            from.laneHandover);
    wanted = new WantedKeys(clock, held);
    queues =
        new KeyQueues(
            clock, from.queueCapacity(), from.maxQueuedBytes, from.blockAfterDead, wanted);
    feeder =
        new KeyFeeder(
            session,
            store,
            clock,
            lanes,
            held,
            wanted,
            queues,
            new HaltedRoutes(paused, this::closedRoutes),
            this::isReady,
            metrics,
            from.blockAfterDead,
            System::nanoTime,
            TimeUnit.MILLISECONDS.toNanos(from.intervalMs),
            from.outboxStore.limitsBytes() ? MANY_ROWS : FEW_ROWS);
    recorder =
        new OutcomeRecorder(
            session,
            new KeyedOutcomes(
                session, store, from.node, queues, from.blockAfterDead, this::lanesLost),
            new Settler(new OutcomeSettler(held, metrics, new WakeUps(), deadLetters)),
            UnwrittenOutcomes.bounded(from.queueCapacity(), from.maxQueuedBytes));
    asyncCalls = new AsyncCalls(recorder::awaitRoom);
    Listeners listeners = new Listeners(from.listenerRegistry, from.interceptors);
    breakers =
        new CircuitBreakers(
            listeners::isOneFor, from.maxInFlight, from.maxQueuedBytes, this::breakerChanged);
    missing =
        new MissingListeners(
            from.missingListenerGrace,
            clock::now,
            listeners::mayHaveOneFor,
            conditions,
            this::missingChanged);
    WorkerCallbacks callbacks = new WorkerCallbacks();
    Deliverer deliverer =
        new Deliverer(
            callbacks,
            session,
            clock,
            listeners,
            missing,
            from.inFlightTracker,
            new OutcomeDecision(from.maxAttempts, from.maxAge, from.retryPolicy, from.deleteOnDone),
            false,
            asyncCalls,
            breakers);
    workers =
        new DeliveryWorkers(
            callbacks,
            deliverer,
            asyncCalls,
            from.workerCount,
            from.virtualThreads
                ? VirtualThreads.named(WORKER_NAMES)
                : new DaemonThreadFactory(WORKER_NAMES),
            null);
    news =
        !Boolean.FALSE.equals(from.notifications)
            ? new CommitSignals(
                session, from.connectionProvider, store, clock, conditions, new LaneNode())
            : null;
    keeper =
        new LaneKeeper(session, calls, store, from.node, from.laneLease, lanes, this::lanesChanged);
    watch = new EngineThread("outbox-lane-watch-", "lanes cannot be watched", this::watch);
  }

  /** Of listeners that are down or missing. */
  private List<EventRoute> closedRoutes() {
    return join(breakers.heldBackRoutes(), missing.leftOut());
  }

  private static List<EventRoute> join(List<EventRoute> some, List<EventRoute> others) {
    return others.isEmpty() ? some : Stream.concat(some.stream(), others.stream()).toList();
  }

  /** Why events wait, for whoever looks at the table. */
  private MemberDetail detail() {
    return new MemberDetail(breakers.outages(clock.now()), missing.list());
  }

  private final class OtherNodes implements Membership.Listener {
    @Override
    public void changed(boolean mayDeliver) {
      pausesChanged(!mayDeliver, mayDeliver);
    }

    @Override
    public void heard(List<Member> others) {
      missing.heardOf(others);
    }
  }

  private void breakerChanged(CircuitBreaker breaker) {
    metrics.recordUnavailableListeners(breakers.open());
    metrics.recordUnavailableDestinations(breakers.missingDestinations());
    members.detailChanged();
    if (!breaker.isOpen()) {
      feeder.haltEnded();
    }
  }

  /** What is queued of keys with a paused event is read again when that is over. */
  private void pausesChanged(boolean begun, boolean ended) {
    if (begun) {
      queues.putBack(delivery -> paused.isPaused(delivery.envelope()));
    }
    if (ended) {
      feeder.haltEnded();
    }
  }

  private void missingChanged(boolean begun, boolean ended) {
    members.detailChanged();
    if (begun) {
      queues.putBack(delivery -> missing.isLeftOut(EventRoute.of(delivery.envelope())));
    }
    if (ended) {
      feeder.haltEnded();
    }
  }

  private boolean isReady() {
    return recorder.isHealthy() && !paused.isAllPaused();
  }

  private void startThreads() {
    pauses.start(); // first: what is paused must not be delivered
    members.start();
    keeper.start();
    recorder.start();
    workers.start();
    feeder.start();
    watch.start();
    if (news != null) {
      news.start();
    }
  }

  /** Harmless when called again. */
  @Override
  public void close() {
    synchronized (this) {
      if (closed) {
        return;
      }
      closed = true;
    }
    // A thread that is being stopped itself closes as well as any other.
    boolean interrupted = Thread.interrupted();
    interrupted |= stop();
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** Lets what runs come to its end, within the drain timeout; the rest waits in the table. */
  private boolean stop() {
    long deadline = System.nanoTime() + drainNanos;
    boolean interrupted = false;
    if (news != null) {
      news.close();
    }
    queues.stop();
    interrupted |= isCutShort(() -> feeder.close(Math.min(drainNanos, MAX_READ_NANOS)));
    interrupted |= isCutShort(() -> workers.join(deadline));
    if (!workers.haveEnded()) {
      workers.force();
      interrupted |= isCutShort(() -> workers.join(System.nanoTime() + FORCED_END_NANOS));
    }
    boolean nothingRuns = workers.haveEnded();
    workers.close();
    pauses.close();
    long last = Math.max(LAST_WRITES_NANOS, deadline - System.nanoTime());
    interrupted |= isCutShort(() -> recorder.close(List.of(), last));
    interrupted |= isCutShort(() -> deadLetters.close(FORCED_END_NANOS));
    interrupted |= isCutShort(() -> keeper.close(FORCED_END_NANOS));
    members.close(nothingRuns);
    watch.close();
    if (news != null) {
      interrupted |= isCutShort(() -> news.join(FORCED_END_NANOS));
    }
    return interrupted;
  }

  private interface Wait {
    void run() throws InterruptedException;
  }

  private static boolean isCutShort(Wait wait) {
    try {
      wait.run();
      return false;
    } catch (InterruptedException e) {
      return true;
    }
  }

  public List<Condition> conditions() {
    calls.isStuck(); // which is then one of them
    return conditions.list();
  }

  /**
   * Whether other nodes would look for it too far in the past; whatever the writer's clock says.
   */
  boolean isLate(EventEnvelope event) {
    return !event.isDelayed() && event.occurredAt().isBefore(clock.now().minus(LATE));
  }

  /** To be called after the commit, on the writer's thread. */
  void committed(KeyedHook.Committed event) {
    recorder.databaseAnswered();
    EventKey key = event.key();
    if (!lanes.isOpen(key.lane())) {
      if (news != null) {
        news.tell(key);
      }
      return; // its owner will find it
    }
    if (paused.isPaused(event.route())) {
      metrics.incrementHotSkippedPaused();
      return; // found when that ends
    }
    if (breakers.isOpenFor(event.route()) || missing.isLeftOut(event.route())) {
      metrics.incrementHotSkippedOutage();
      return;
    }
    if (event.delayedUntil() != null) {
      wanted.committed(key, event.delayedUntil());
    } else {
      metrics.incrementHotEnqueued();
      queues.committed(key);
    }
  }

  /** There were more events than it was told. */
  void committedMore() {
    wanted.wantAll();
    if (news != null && lanes.size() < EventKey.LANES) {
      news.tellAny();
    }
  }

  private void lanesChanged(int gained) {
    queues.keepOnly(lanes::isOpen);
    wanted.wake();
    metrics.recordLanesOwned(lanes.size());
    metrics.recordLanesTaken(gained);
  }

  /** Not at the next beat: what is called in a lane of another node is called for nothing. */
  private void lanesLost(Set<Lane> gone) {
    if (gone.stream().filter(lanes::lost).count() > 0) {
      lanesChanged(0);
    }
  }

  /** What still runs in a lane that may soon be another node's is interrupted. */
  private long watch() {
    queues.running().stream().filter(this::isLost).forEach(KeyedDelivery::interrupt);
    asyncCalls.cancelIf(delivery -> isLost((KeyedDelivery) delivery));
    missing.review();
    metrics.recordParkedKeys(wanted.parkedKeys());
    return WATCH_NANOS;
  }

  private boolean isLost(KeyedDelivery delivery) {
    Lane lane = delivery.lane();
    return lane != null && !lanes.isHeld(lane);
  }

  /** One of the nodes that share the lanes. */
  private final class LaneNode implements CommitSignals.Node {
    @Override
    public boolean hasOthers() {
      return keeper.hasOthers();
    }

    @Override
    public boolean isReady() {
      return lanes.size() > 0 && KeyedEngine.this.isReady();
    }

    @Override
    public List<EventRoute> notWanted() {
      return join(paused.routes(), closedRoutes());
    }

    @Override
    public boolean isNews(DueEvent event) {
      return lanes.isOpen(event.key().lane()) && !held.contains(event.eventId());
    }

    @Override
    public void heard(Optional<Set<EventKey>> keys) {
      if (keys.isEmpty()) {
        wanted.wantAll();
      } else {
        keys.get().stream().filter(key -> lanes.isOpen(key.lane())).forEach(queues::committed);
      }
    }
  }

  private final class Settler implements OutcomeRecorder.Listener {
    private final OutcomeSettler settler;

    Settler(OutcomeSettler settler) {
      this.settler = settler;
    }

    @Override
    public void written(Delivery delivery, Outcome outcome) {
      KeyedDelivery keyed = (KeyedDelivery) delivery;
      try {
        settler.written(delivery, outcome); // its key may be read at once: it is not held any more
      } finally {
        queues.written(keyed, outcome);
        lanes.leave(keyed.lane());
      }
    }

    @Override
    public void abandoned(Delivery delivery, Outcome outcome) {
      KeyedDelivery keyed = (KeyedDelivery) delivery;
      try {
        settler.abandoned(delivery, outcome);
      } finally {
        queues.abandoned(keyed, clock.now().plus(AGAIN));
        lanes.leave(keyed.lane());
      }
    }

    @Override
    public void batchEnded() {
      settler.batchEnded();
    }
  }

  private final class WorkerCallbacks implements DeliveryWorkers.Source, Deliverer.Callbacks {
    @Override
    public Delivery next() throws InterruptedException {
      while (true) {
        KeyedDelivery next = queues.take();
        if (next == null || next.unreadable() == null) {
          return next;
        }
        next.start();
        if (!mayBeCalled(next)) {
          putBack(next);
          continue;
        }
        finished(
            next,
            Outcome.dead(
                next.ref(), next.attempts(), clock.now(), "cannot be read: " + next.unreadable()),
            true);
      }
    }

    @Override
    public boolean mayBeCalled(Delivery delivery) {
      KeyedDelivery keyed = (KeyedDelivery) delivery;
      if (paused.isPaused(delivery.envelope())) {
        return false;
      }
      if (keyed.lane() != null) {
        return lanes.isHeld(keyed.lane());
      }
      Optional<Lane> lane = lanes.enter(keyed.key().lane());
      if (lane.isPresent() && !queues.mayStart(keyed, lane.get())) {
        lanes.leave(lane.get());
        return false;
      }
      lane.ifPresent(keyed::entered);
      return lane.isPresent();
    }

    @Override
    public void started(Delivery delivery) {
      ((KeyedDelivery) delivery).runs();
      if (delivery.dueAt() != null) {
        metrics.recordDueToListener(clock.nanosSince(delivery.dueAt()));
      }
    }

    @Override
    public void returned(Delivery delivery) {
      ((KeyedDelivery) delivery).hasRun(); // its thread goes on with another event
    }

    @Override
    public void served(long nanos) {}

    @Override
    public void answered(long nanos) {
      metrics.recordListenerDuration(nanos);
    }

    @Override
    public void finished(Delivery delivery, Outcome outcome, boolean mayWait) {
      KeyedDelivery keyed = (KeyedDelivery) delivery;
      keyed.hasRun();
      queues.answered(keyed);
      recorder.submit(delivery, outcome, mayWait);
      try {
        queues.handedOver(keyed, outcome);
      } catch (Throwable e) {
        // The recorder has its outcome: when that is written, its key goes on all the same.
        warning.log(() -> "after the outcome of event " + delivery.eventId(), e);
      }
    }

    @Override
    public void awaitSettled(Delivery delivery) {
      try {
        held.awaitRelease(delivery, MAX_SETTLING_NANOS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }

    @Override
    public void putBack(Delivery delivery) {
      notCalled(delivery, clock.now().plus(AGAIN));
    }

    /** Nobody else can take it: its key waits here, and nothing need be written. */
    @Override
    public void notCalled(Delivery delivery, Instant at) {
      KeyedDelivery keyed = (KeyedDelivery) delivery;
      keyed.hasRun();
      held.release(delivery);
      queues.putBack(keyed, at);
      if (keyed.lane() != null) {
        lanes.leave(keyed.lane());
      }
      held.signalProgress();
    }
  }
}
