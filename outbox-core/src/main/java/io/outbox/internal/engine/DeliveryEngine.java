package io.outbox.internal.engine;

import io.outbox.EventEnvelope;
import io.outbox.dispatch.QueuedEvent;
import io.outbox.internal.Conditions;
import io.outbox.internal.OwnerId;
import io.outbox.internal.SafeMetrics;
import io.outbox.internal.VirtualThreads;
import io.outbox.internal.call.AsyncCalls;
import io.outbox.internal.call.CircuitBreaker;
import io.outbox.internal.call.CircuitBreakers;
import io.outbox.internal.call.Deliverer;
import io.outbox.internal.call.DeliveryWorkers;
import io.outbox.internal.call.Listeners;
import io.outbox.internal.call.MissingListeners;
import io.outbox.internal.hot.HotPath;
import io.outbox.internal.lease.ClaimBudget;
import io.outbox.internal.lease.LeaseKeeper;
import io.outbox.internal.lease.LeaseReturns;
import io.outbox.internal.member.Membership;
import io.outbox.internal.member.PauseWatch;
import io.outbox.internal.member.PausedRoutes;
import io.outbox.internal.poll.PollRestarts;
import io.outbox.internal.poll.PollSink.Handover;
import io.outbox.internal.queue.Delivery;
import io.outbox.internal.queue.DeliveryQueues;
import io.outbox.internal.queue.HeldEvents;
import io.outbox.internal.record.DeadLetters;
import io.outbox.internal.record.OutcomeDecision;
import io.outbox.internal.record.OutcomeRecorder;
import io.outbox.internal.record.OutcomeSettler;
import io.outbox.internal.record.UnwrittenOutcomes;
import io.outbox.internal.settings.OutboxSettings;
import io.outbox.internal.store.CallWatch;
import io.outbox.internal.store.StoreSession;
import io.outbox.internal.time.EngineClock;
import io.outbox.internal.time.WakeUps;
import io.outbox.model.EventRef;
import io.outbox.model.EventRoute;
import io.outbox.model.OutboxEvent;
import io.outbox.operate.Condition;
import io.outbox.spi.Member;
import io.outbox.spi.MemberDetail;
import io.outbox.spi.MetricsExporter;
import io.outbox.spi.Outcome;
import io.outbox.util.DaemonThreadFactory;
import io.outbox.util.PrintableLogger;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** What is behind a dispatcher: brings events from the hot and the cold side to the workers. */
public final class DeliveryEngine implements AutoCloseable {

  private static final Logger LOG = PrintableLogger.of(DeliveryEngine.class);
  private static final String WORKER_NAMES = "outbox-worker-";
  private static final long FORCED_END_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
  private static final long LAST_WRITES_NANOS = TimeUnit.SECONDS.toNanos(2);

  /** In a longer outage no other suspect can be started, because no start can be recorded. */
  private static final long MAX_SETTLING_NANOS = TimeUnit.SECONDS.toNanos(10);

  private static final Duration LOCKED_AGAIN = Duration.ofMillis(250);
  private static final int RETURNED_TOGETHER = 1000;

  private final StoreSession session;
  private final EngineClock clock;
  private final Conditions conditions;
  private final CallWatch calls;
  private final MetricsExporter metrics;
  private final WakeUps wakeUps = new WakeUps();
  private final HeldEvents held;
  private final LeaseReturns returns;
  private final DeliveryQueues queues;
  private final OutcomeRecorder recorder;
  private final DeliveryWorkers workers;
  private volatile LeaseKeeper leases; // null: without claim locking
  private final ClaimBudget budget;
  private final CircuitBreakers breakers;
  private final MissingListeners missing;
  private final Membership members;
  private final PauseWatch pauses;
  private final PausedRoutes paused;
  private final PollRestarts pollRestarts;
  private final HotPath hotPath;
  private final DeadLetters deadLetters;
  private final boolean inOrder;
  private final long drainNanos;
  private volatile boolean stopping;
  private boolean closed;

  /** An engine that runs. */
  public static DeliveryEngine start(OutboxSettings settings) {
    DeliveryEngine engine = new DeliveryEngine(settings);
    try {
      engine.startThreads();
    } catch (Throwable failure) {
      engine.stop();
      throw failure;
    }
    return engine;
  }

  private DeliveryEngine(OutboxSettings from) {
    clock = new EngineClock(from.clock);
    conditions = new Conditions(clock::now);
    calls = new CallWatch(conditions);
    session = new StoreSession(from.connectionProvider, from.outboxStore, calls);
    returns = new LeaseReturns(session, () -> wakeUps.at(clock.now().plus(LOCKED_AGAIN)));
    metrics = new SafeMetrics(from.metrics);
    drainNanos = TimeUnit.MILLISECONDS.toNanos(from.drainTimeoutMs);
    queues = new DeliveryQueues(from.hotQueueCapacity, from.coldQueueCapacity, from.maxQueuedBytes);
    held = new HeldEvents(queues::cancelReservation);
    deadLetters = new DeadLetters(from.onDead);
    recorder =
        new OutcomeRecorder(
            session,
            new OutcomeSettler(held, metrics, wakeUps, deadLetters),
            UnwrittenOutcomes.bounded(from.queueCapacity(), from.maxQueuedBytes));
    leases =
        from.claimTimeout == null || !from.outboxStore.supportsLeases()
            ? null
            : leaseKeeper(OwnerId.unique(from.ownerId), from.claimTimeout);
    budget = new ClaimBudget(from.workerCount);
    inOrder = from.workerCount == 1 && from.maxInFlight == 1;
    pollRestarts = new PollRestarts(inOrder);
    members =
        new Membership(
            session, from.node, from.mode, conditions, metrics, this::detail, new OtherNodes());
    pauses = new PauseWatch(session, metrics, members::mayDeliver, this::pausesChanged);
    paused = pauses.paused();
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
    hotPath =
        new HotPath(
            session,
            clock,
            metrics,
            held,
            queues,
            returns,
            wakeUps,
            () -> leases,
            recorder::databaseAnswered,
            this::isUnwanted,
            this::whyLeft,
            from.hotQueueCapacity,
            from.checkRowsBeforeHotDelivery);
    WorkerCallbacks callbacks = new WorkerCallbacks();
    AsyncCalls asyncCalls = new AsyncCalls(recorder::awaitRoom);
    Deliverer deliverer =
        new Deliverer(
            callbacks,
            session,
            clock,
            listeners,
            missing,
            from.inFlightTracker,
            new OutcomeDecision(from.maxAttempts, from.maxAge, from.retryPolicy, from.deleteOnDone),
            inOrder,
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
            from.listenerTimeout);
  }

  private LeaseKeeper leaseKeeper(String ownerId, Duration timeout) {
    return new LeaseKeeper(
        session, calls.under(timeout), clock, held, recorder::databaseAnswered, ownerId, timeout);
  }

  private void startThreads() {
    pauses.start(); // first: what is paused must not be delivered
    members.start();
    recorder.start();
    workers.start();
    LeaseKeeper keeper = leases;
    if (keeper != null) {
      keeper.start();
    }
    hotPath.start();
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

  /**
   * Delivers what is queued within the drain timeout, then ends; bounded. An interrupt cuts the
   * waiting short, but everything is ended all the same.
   *
   * @return whether there was an interrupt
   */
  private boolean stop() {
    long deadline = System.nanoTime() + drainNanos;
    stopping = true;
    List<Delivery> left = new ArrayList<>(hotPath.close());
    queues.stop();
    boolean interrupted = isCutShort(() -> workers.join(deadline));
    left.addAll(queues.drain());
    if (!workers.haveEnded()) {
      workers.force();
      interrupted |= isCutShort(() -> workers.join(System.nanoTime() + FORCED_END_NANOS));
    }
    boolean nothingRuns = workers.haveEnded();
    workers.close();
    pauses.close();
    List<EventRef> unstarted = drop(left);
    stopping = false; // who comes back later has to see to itself
    List<EventRef> toRelease = new ArrayList<>(returns.takeAll());
    unstarted.stream().filter(ref -> ref.owner() != null).forEach(toRelease::add);
    long last = Math.max(LAST_WRITES_NANOS, deadline - System.nanoTime());
    interrupted |= isCutShort(() -> recorder.close(toRelease, last));
    interrupted |= isCutShort(() -> deadLetters.close(FORCED_END_NANOS));
    LeaseKeeper keeper = leases;
    if (keeper != null) {
      keeper.close();
    }
    members.close(nothingRuns);
    logWhatIsLeft(unstarted.size(), recorder.unwritten());
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

  private static void logWhatIsLeft(int unstarted, int unwritten) {
    if (unwritten > 0 || unstarted > 0) {
      LOG.log(
          Level.INFO,
          () ->
              "closed with "
                  + unstarted
                  + " events not started and "
                  + unwritten
                  + " outcomes not written; they wait in the table");
    }
  }

  /**
   * What a poller claims must be renewed while it is here. A dispatcher that was not told of claim
   * locking learns of it from its poller.
   */
  public synchronized void pollerClaimsAs(String ownerId, Duration timeout) {
    LeaseKeeper keeper = leases;
    if (keeper == null) {
      if (ownerId != null && session.store().supportsLeases() && !queues.isStopped()) {
        keeper = leaseKeeper(ownerId, timeout);
        keeper.start();
        leases = keeper;
      }
    } else if (ownerId == null) {
      throw new IllegalStateException(
          "the dispatcher delivers under leases, so its poller needs claimLocking, too");
    } else if (!timeout.equals(keeper.timeout())) {
      throw new IllegalStateException(
          "the claim timeouts of the dispatcher and its poller differ: "
              + keeper.timeout()
              + " and "
              + timeout);
    }
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

  /** Why a committed event is left to the poller. */
  private HotPath.HotOffer whyLeft(EventEnvelope event) {
    if (paused.isPaused(event)) {
      return HotPath.HotOffer.PAUSED;
    }
    return breakers.isDownFor(event) || isLeftOut(event)
        ? HotPath.HotOffer.DOWN
        : HotPath.HotOffer.DROPPED;
  }

  private void breakerChanged(CircuitBreaker breaker) {
    metrics.recordUnavailableListeners(breakers.open());
    metrics.recordUnavailableDestinations(breakers.missingDestinations());
    members.detailChanged();
    if (breaker.isOpen()) {
      wakeUps.at(clock.now().plus(breaker.pause())); // then one event is tried
    } else {
      pollRestarts.restart();
      wakeUps.now();
    }
  }

  private void pausesChanged(boolean begun, boolean ended) {
    if (begun) {
      putBackPaused();
    }
    if (ended) {
      pollAgain();
    }
  }

  private void missingChanged(boolean begun, boolean ended) {
    members.detailChanged();
    if (begun) {
      giveBack(drop(queues.remove(queued -> isLeftOut(queued.envelope()))));
    }
    if (ended) {
      pollAgain();
    }
  }

  private boolean isLeftOut(EventEnvelope event) {
    return missing.isLeftOut(event.aggregateType(), event.eventType());
  }

  /** Whether it would only be put back. */
  private boolean isUnwanted(EventEnvelope event) {
    return paused.isPaused(event) || breakers.isOpenFor(event) || isLeftOut(event);
  }

  /** From the first row on. */
  private void pollAgain() {
    pollRestarts.restart();
    wakeUps.now();
  }

  /** What is queued waits in the table, for any node; in order together with all behind it. */
  private void putBackPaused() {
    List<EventRef> dropped = new ArrayList<>();
    if (inOrder) {
      pollRestarts.restart(() -> dropped.addAll(drop(queues.remove(any -> true))));
    } else {
      dropped.addAll(drop(queues.remove(delivery -> paused.isPaused(delivery.envelope()))));
    }
    giveBack(dropped);
  }

  private void giveBack(List<EventRef> dropped) {
    for (int from = 0; from < dropped.size(); from += RETURNED_TOGETHER) {
      int to = Math.min(dropped.size(), from + RETURNED_TOGETHER);
      returns.giveBack(dropped.subList(from, to));
    }
    held.signalProgress();
  }

  /** Lets go of what no worker has; returns what that was. */
  private List<EventRef> drop(List<Delivery> deliveries) {
    List<EventRef> dropped = new ArrayList<>();
    for (Delivery delivery : deliveries) {
      if (delivery.drop()) {
        held.release(delivery);
        dropped.add(delivery.ref());
      }
    }
    return dropped;
  }

  /** Events not to be fetched now: they would only be deferred, or put back. */
  public List<EventRoute> unwantedRoutes() {
    if (inOrder) {
      return missing.leftOut(); // the others wait for each other
    }
    return Stream.of(paused.routes(), breakers.heldBackRoutes(), missing.leftOut())
        .flatMap(List::stream)
        .toList();
  }

  public List<Condition> conditions() {
    calls.isStuck(); // which is then one of them
    return conditions.list();
  }

  /** For DispatcherWriterHook. */
  public HotPath hotPath() {
    return hotPath;
  }

  /** Queues an event by hand; true also if it is held, or has ended since it was read. */
  public boolean enqueue(QueuedEvent event, boolean hot) {
    Delivery delivery = Delivery.ofQueued(event);
    if (queues.isStopped()) {
      return false;
    }
    if (!held.holdQueued(delivery)) {
      return true;
    }
    boolean queued = hot ? queues.offerHot(delivery) : queues.offerCold(delivery);
    if (!queued) {
      held.release(delivery);
    } else if (hot) {
      metrics.incrementHotEnqueued();
    } else {
      metrics.incrementColdEnqueued();
    }
    return queued;
  }

  // ---- the cold path, for DispatcherPollerHandler

  public int coldRemaining() {
    return queues.coldRemaining();
  }

  public CallWatch calls() {
    return calls;
  }

  public EngineClock clock() {
    return clock;
  }

  public WakeUps wakeUps() {
    return wakeUps;
  }

  public HeldEvents held() {
    return held;
  }

  /** After an outage: give back, renew, then poll. */
  public void beforePoll() {
    missing.review();
    returns.tryAgain();
    LeaseKeeper keeper = leases;
    if (keeper != null) {
      keeper.catchUp();
    }
  }

  public LeaseReturns returns() {
    return returns;
  }

  public boolean isReady() {
    return recorder.isHealthy()
        && !queues.isStopped()
        && !paused.isAllPaused()
        && !pollRestarts.isHalted();
  }

  public PollRestarts pollRestarts() {
    return pollRestarts;
  }

  public boolean awaitCapacity(long maxNanos) throws InterruptedException {
    long progress = held.progress();
    if (pollCapacity() > 0 || queues.coldRemaining() == 0) {
      return queues.awaitColdRoom(maxNanos);
    }
    held.awaitProgress(progress, maxNanos);
    return pollCapacity() > 0;
  }

  /** How many rows a poll may bring. */
  public int pollCapacity() {
    metrics.recordQueueDepths(queues.hotDepth(), queues.coldDepth());
    int room = queues.coldRemaining();
    return leases == null ? room : Math.min(room, budget.left(held.size(), queues.coldDepth()));
  }

  public Handover offerPolled(OutboxEvent row, EventEnvelope envelope) {
    return pollRestarts.offer(() -> queuePolled(row, envelope));
  }

  private Handover queuePolled(OutboxEvent row, EventEnvelope envelope) {
    if (paused.isPaused(row)) {
      return pollRestarts.paused();
    }
    if (isLeftOut(envelope)) {
      return Handover.PAUSED;
    }
    Delivery delivery = Delivery.ofRow(row, envelope);
    if (!held.holdPolled(delivery)) {
      return alreadyHeld(row);
    }
    if (!queues.offerCold(delivery)) {
      held.release(delivery);
      return Handover.FULL;
    }
    metrics.incrementColdEnqueued();
    return Handover.ACCEPTED;
  }

  public Handover offerUndecodable(OutboxEvent row, Throwable reason) {
    if (paused.isPaused(row)) {
      return pollRestarts.paused();
    }
    EventEnvelope stub = Delivery.stub(row);
    Delivery delivery = Delivery.ofRow(row, stub);
    if (!held.holdPolled(delivery)) {
      return alreadyHeld(row);
    }
    delivery.start();
    recorder.submit(
        delivery,
        Outcome.dead(delivery.ref(), row.attempts(), clock.now(), "cannot be read: " + reason));
    return Handover.ACCEPTED;
  }

  private Handover alreadyHeld(OutboxEvent row) {
    return row.lease() == null || held.adopt(row) ? Handover.HELD : Handover.HELD_ELSEWHERE;
  }

  private final class WorkerCallbacks implements DeliveryWorkers.Source, Deliverer.Callbacks {
    @Override
    public Delivery next() throws InterruptedException {
      return queues.take();
    }

    @Override
    public boolean mayBeCalled(Delivery delivery) {
      LeaseKeeper keeper = leases;
      return !paused.isPaused(delivery.envelope()) && (keeper == null || keeper.ensure(delivery));
    }

    @Override
    public void started(Delivery delivery) {
      if (delivery.source() == QueuedEvent.Source.HOT) {
        metrics.recordCommitToListener(System.nanoTime() - delivery.heldSinceNanos());
      } else if (delivery.dueAt() != null) {
        metrics.recordDueToListener(clock.nanosSince(delivery.dueAt()));
      }
    }

    @Override
    public void served(long nanos) {
      budget.served(nanos);
    }

    @Override
    public void answered(long nanos) {
      metrics.recordListenerDuration(nanos);
    }

    @Override
    public void finished(Delivery delivery, Outcome outcome, boolean mayWait) {
      recorder.submit(delivery, outcome, mayWait);
    }

    @Override
    public void awaitSettled(Delivery delivery) {
      try {
        held.awaitRelease(delivery, MAX_SETTLING_NANOS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }

    /** In the table: unless it is due later, the next poll would bring it again. */
    @Override
    public void notCalled(Delivery delivery, Instant at) {
      finished(delivery, Outcome.deferred(delivery.ref(), delivery.attempts(), at), true);
    }

    @Override
    public boolean isStopping() {
      return stopping;
    }

    @Override
    public void putBack(Delivery delivery) {
      List<EventRef> refs = new ArrayList<>(List.of(delivery.ref()));
      if (inOrder) {
        pollRestarts.restart(
            () -> {
              held.release(delivery);
              refs.addAll(drop(queues.remove(any -> true))); // they must not pass it
            });
      }
      if (stopping) {
        returns.keep(refs); // all of them with one statement
      } else {
        returns.giveBack(refs);
      }
      if (inOrder) {
        wakeUps.now();
      } else {
        held.release(delivery);
      }
      held.signalProgress();
    }
  }
}
