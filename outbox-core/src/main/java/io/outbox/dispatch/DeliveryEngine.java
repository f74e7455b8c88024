package io.outbox.dispatch;

import io.outbox.EventEnvelope;
import io.outbox.internal.EngineClock;
import io.outbox.internal.LeaseReturns;
import io.outbox.internal.PollSink.Handover;
import io.outbox.internal.RepeatedWarning;
import io.outbox.internal.SafeMetrics;
import io.outbox.internal.StoreSession;
import io.outbox.internal.WakeUps;
import io.outbox.model.EventRef;
import io.outbox.model.Lease;
import io.outbox.model.NewEvent;
import io.outbox.model.OutboxEvent;
import io.outbox.model.Outcome;
import io.outbox.spi.MetricsExporter;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** What is behind a dispatcher: brings events from the hot and the cold side to the workers. */
final class DeliveryEngine {

  private static final Logger LOG = System.getLogger(DeliveryEngine.class.getName());
  private static final long FORCED_END_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
  private static final long LAST_WRITES_NANOS = TimeUnit.SECONDS.toNanos(2);

  /** In a longer outage no other suspect can be started, because no start can be recorded. */
  private static final long MAX_SETTLING_NANOS = TimeUnit.SECONDS.toNanos(10);

  private static final Duration LOCKED_AGAIN = Duration.ofMillis(250);
  private static final Duration LONGEST = Duration.ofNanos(Long.MAX_VALUE);

  /** What became of a committed event. */
  enum HotOffer {
    QUEUED,
    /** Already in our hands by another way. */
    HELD,
    /** No room; the poller will find it. */
    DROPPED
  }

  private final StoreSession session;
  private final EngineClock clock;
  private final MetricsExporter metrics;
  private final WakeUps wakeUps = new WakeUps();
  private final HeldEvents held = new HeldEvents(this::cancelReservation);
  private final LeaseReturns returns;
  private final DeliveryQueues queues;
  private final OutcomeRecorder recorder;
  private final DeliveryWorkers workers;
  private volatile LeaseKeeper leases; // null: without claim locking
  private final ClaimBudget budget;
  private final HotRowCheck rowCheck; // null: not asked for
  private final DeadLetters deadLetters;
  private final RepeatedWarning lostWarning = new RepeatedWarning(LOG, Level.WARNING);
  private final long drainNanos;

  DeliveryEngine(OutboxDispatcher.Builder from) {
    session = new StoreSession(from.connectionProvider, from.outboxStore);
    clock = new EngineClock(from.clock);
    returns = new LeaseReturns(session, () -> wakeUps.at(clock.now().plus(LOCKED_AGAIN)));
    metrics = new SafeMetrics(from.metrics);
    drainNanos = TimeUnit.MILLISECONDS.toNanos(from.drainTimeoutMs);
    queues = new DeliveryQueues(from.hotQueueCapacity, from.coldQueueCapacity, from.maxQueuedBytes);
    deadLetters = new DeadLetters(from.onDead);
    recorder =
        new OutcomeRecorder(
            session,
            new OutcomeSettler(),
            UnwrittenOutcomes.bounded(
                (int)
                    Math.min(
                        Integer.MAX_VALUE, (long) from.hotQueueCapacity + from.coldQueueCapacity),
                from.maxQueuedBytes));
    leases =
        from.claimTimeout == null || !from.outboxStore.supportsLeases()
            ? null
            : leaseKeeper(from.ownerId, from.claimTimeout);
    budget = new ClaimBudget(from.workerCount);
    rowCheck =
        from.checkRows ? new HotRowCheck(session, from.hotQueueCapacity, this::rowChecked) : null;
    workers =
        new DeliveryWorkers(
            new WorkerDesk(),
            session,
            clock,
            from.listenerRegistry,
            List.copyOf(from.interceptors),
            from.inFlightTracker,
            new OutcomeDecision(from.maxAttempts, from.retryPolicy),
            from.workerCount);
  }

  private LeaseKeeper leaseKeeper(String ownerId, Duration timeout) {
    return new LeaseKeeper(session, clock, held, recorder::databaseAnswered, ownerId, timeout);
  }

  void start() {
    recorder.start();
    workers.start();
    LeaseKeeper keeper = leases;
    if (keeper != null) {
      keeper.start();
    }
    if (rowCheck != null) {
      rowCheck.start();
    }
  }

  /**
   * Delivers what is queued within the drain timeout, then ends; bounded. An interrupt cuts the
   * waiting short, but everything is ended all the same.
   *
   * @return whether there was an interrupt
   */
  boolean stop() {
    long deadline = System.nanoTime() + drainNanos;
    List<Delivery> left = new ArrayList<>();
    if (rowCheck != null) {
      left.addAll(rowCheck.close());
    }
    queues.stop();
    boolean interrupted = isCutShort(() -> workers.join(deadline));
    left.addAll(queues.drain());
    if (!workers.haveEnded()) {
      workers.force();
      interrupted |= isCutShort(() -> workers.join(System.nanoTime() + FORCED_END_NANOS));
    }
    List<EventRef> unstarted = new ArrayList<>();
    for (Delivery delivery : left) {
      if (delivery.drop()) {
        held.release(delivery);
        unstarted.add(delivery.ref());
      }
    }
    List<EventRef> toRelease = new ArrayList<>(returns.takeAll());
    unstarted.stream().filter(ref -> ref.owner() != null).forEach(toRelease::add);
    long last = Math.max(LAST_WRITES_NANOS, deadline - System.nanoTime());
    interrupted |= isCutShort(() -> recorder.close(toRelease, last));
    interrupted |= isCutShort(() -> deadLetters.close(FORCED_END_NANOS));
    LeaseKeeper keeper = leases;
    if (keeper != null) {
      keeper.close();
    }
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
  synchronized void pollerClaimsAs(String ownerId, Duration timeout) {
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

  // ---- the hot path, for DispatcherWriterHook

  /** With claim locking, leases the rows of those events that have room and opens their tickets. */
  List<NewEvent> prepare(List<EventEnvelope> events) {
    List<NewEvent> rows = new ArrayList<>(events.size());
    LeaseKeeper keeper = leases;
    for (EventEnvelope event : events) {
      boolean leased = keeper != null && !event.isDelayed();
      rows.add(new NewEvent(event, leased ? openTicket(event, keeper.born()) : null));
    }
    return rows;
  }

  /** Without claim locking, opens a ticket for each event: no poll has seen its row so far. */
  void inserted(List<EventEnvelope> events) {
    if (leases == null) {
      events.stream().filter(event -> !event.isDelayed()).forEach(held::replaceTicket);
    }
  }

  private Lease openTicket(EventEnvelope event, Lease lease) {
    long bytes = Delivery.bytesOf(event);
    if (!clock.isSynchronized() || !queues.reserveHot(bytes)) {
      return null;
    }
    if (held.openTicket(event, lease)) {
      return lease;
    }
    queues.cancelReservation(bytes);
    return null;
  }

  HotOffer committed(EventEnvelope event) {
    recorder.databaseAnswered();
    HeldEvents.Ticket ticket = held.endTicket(event);
    if (ticket == null) {
      // With leases an event without one may be another node's by now.
      return leases != null ? HotOffer.DROPPED : offerHot(Delivery.ofCommitted(event, null));
    }
    Delivery delivery = Delivery.ofCommitted(event, ticket.lease());
    if (!held.holdCommitted(ticket, delivery)) {
      cancelReservation(ticket);
      return HotOffer.HELD;
    }
    boolean queued;
    if (rowCheck != null) {
      queued = rowCheck.offer(delivery);
      if (!queued) {
        cancelReservation(ticket);
      }
    } else {
      queued = ticket.lease() == null ? queues.offerHot(delivery) : queues.offerReserved(delivery);
    }
    return queuedOrReleased(delivery, queued);
  }

  void rolledBack(EventEnvelope event) {
    HeldEvents.Ticket ticket = held.endTicket(event);
    if (ticket != null) {
      held.forget(ticket);
      cancelReservation(ticket);
    }
  }

  private void cancelReservation(HeldEvents.Ticket ticket) {
    if (ticket.lease() != null) {
      queues.cancelReservation(Delivery.bytesOf(ticket.envelope()));
    }
  }

  private HotOffer offerHot(Delivery delivery) {
    if (!held.hold(delivery)) {
      return HotOffer.HELD;
    }
    return queuedOrReleased(delivery, queues.offerHot(delivery));
  }

  private HotOffer queuedOrReleased(Delivery delivery, boolean queued) {
    if (queued) {
      metrics.incrementHotEnqueued();
      return HotOffer.QUEUED;
    }
    held.release(delivery);
    return HotOffer.DROPPED;
  }

  private void rowChecked(Delivery delivery, boolean there) {
    if (!queueChecked(delivery, there)) {
      returns.giveBack(List.of(delivery.ref()));
      held.release(delivery);
      wakeUps.now();
    }
  }

  /** A row that was born leased to us has its place: it must not be left behind. */
  private boolean queueChecked(Delivery delivery, boolean there) {
    if (!delivery.isReserved()) {
      return there && queues.offerHot(delivery);
    }
    if (!there) {
      queues.cancelReservation(delivery.bytes());
    }
    return there && queues.offerReserved(delivery);
  }

  /** Queues an event by hand; true also if it is held. */
  boolean enqueue(QueuedEvent event, boolean hot) {
    Delivery delivery = Delivery.ofQueued(event);
    if (queues.isStopped()) {
      return false;
    }
    if (!held.hold(delivery)) {
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

  int coldRemaining() {
    return queues.coldRemaining();
  }

  EngineClock clock() {
    return clock;
  }

  WakeUps wakeUps() {
    return wakeUps;
  }

  HeldEvents held() {
    return held;
  }

  /** After an outage: give back, renew, then poll. */
  void beforePoll() {
    returns.tryAgain();
    LeaseKeeper keeper = leases;
    if (keeper != null) {
      keeper.catchUp();
    }
  }

  LeaseReturns returns() {
    return returns;
  }

  boolean isReady() {
    return recorder.isHealthy() && !queues.isStopped();
  }

  boolean awaitCapacity(long maxNanos) throws InterruptedException {
    long progress = held.progress();
    if (pollCapacity() > 0 || queues.coldRemaining() == 0) {
      return queues.awaitColdRoom(maxNanos);
    }
    held.awaitProgress(progress, maxNanos);
    return pollCapacity() > 0;
  }

  /** How many rows a poll may bring. */
  int pollCapacity() {
    metrics.recordQueueDepths(queues.hotDepth(), queues.coldDepth());
    int room = queues.coldRemaining();
    return leases == null ? room : Math.min(room, budget.left(held.size(), queues.coldDepth()));
  }

  Handover offerPolled(OutboxEvent row, EventEnvelope envelope) {
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

  Handover offerUndecodable(OutboxEvent row, Throwable reason) {
    EventEnvelope stub =
        EventEnvelope.fromRow(
            OutboxEvent.builder(row.eventId(), row.eventType())
                .aggregate(row.aggregateType(), row.aggregateId())
                .tenantId(row.tenantId())
                .payloadJson(row.payloadBytes() == null ? payloadOrNull(row) : row.payloadJson())
                .payloadBytes(row.payloadBytes(), row.contentType())
                .createdAt(row.createdAt())
                .build());
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

  private static String payloadOrNull(OutboxEvent row) {
    return row.payloadJson() == null ? "null" : row.payloadJson();
  }

  private Handover alreadyHeld(OutboxEvent row) {
    return row.lease() == null || held.adopt(row) ? Handover.HELD : Handover.HELD_ELSEWHERE;
  }

  private final class WorkerDesk implements DeliveryWorkers.Desk {
    @Override
    public Delivery next() throws InterruptedException {
      return queues.take();
    }

    @Override
    public boolean ensureLease(Delivery delivery) {
      LeaseKeeper keeper = leases;
      return keeper == null || keeper.ensure(delivery);
    }

    @Override
    public void started(Delivery delivery) {
      if (delivery.source() == QueuedEvent.Source.HOT) {
        metrics.recordCommitToListener(System.nanoTime() - delivery.heldSinceNanos());
      } else if (delivery.dueAt() != null) {
        metrics.recordDueToListener(nanosSince(delivery.dueAt()));
      }
    }

    /** A row may have been due for longer than a long can count. */
    private long nanosSince(Instant due) {
      Duration since = Duration.between(due, clock.now());
      return since.compareTo(LONGEST) < 0 ? since.toNanos() : LONGEST.toNanos();
    }

    @Override
    public void served(long nanos) {
      budget.served(nanos);
      metrics.recordListenerDuration(nanos);
    }

    @Override
    public void finished(Delivery delivery, Outcome outcome) {
      recorder.submit(delivery, outcome);
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
    public void putBack(Delivery delivery, boolean keepLease) {
      if (!keepLease) {
        returns.giveBack(List.of(delivery.ref()));
      }
      held.release(delivery);
      held.signalProgress();
    }
  }

  private final class OutcomeSettler implements OutcomeRecorder.Listener {
    @Override
    public void written(Delivery delivery, Outcome outcome) {
      held.release(delivery);
      switch (outcome.status()) {
        case DONE -> {
          metrics.incrementDispatchSuccess();
          metrics.recordFailedAttempts(outcome.attempts());
        }
        case RETRY -> {
          metrics.incrementDispatchFailure();
          wakeUps.at(outcome.at());
        }
        case NEW -> {
          metrics.incrementDispatchDeferred();
          wakeUps.at(outcome.at());
        }
        case DEAD -> {
          metrics.incrementDispatchDead();
          metrics.recordFailedAttempts(outcome.attempts());
          LOG.log(
              Level.ERROR,
              () ->
                  "event "
                      + outcome.eventId()
                      + " ("
                      + delivery.envelope().eventType()
                      + ") is DEAD after "
                      + outcome.attempts()
                      + " failed attempts: "
                      + outcome.error());
          deadLetters.onDead(delivery.envelope(), outcome.error());
        }
      }
    }

    @Override
    public void abandoned(Delivery delivery, Outcome outcome) {
      held.release(delivery);
      // Right after its commit nobody else can have finished it.
      boolean suspicious = delivery.source() == QueuedEvent.Source.HOT && delivery.attempts() == 0;
      lostWarning.log(
          () ->
              "the outcome "
                  + outcome.status()
                  + " of event "
                  + outcome.eventId()
                  + " was not written: the event is finished, gone, or somebody else's by now"
                  + (suspicious
                      ? "; if this happens to every event, the transactions and the"
                          + " connectionProvider use different databases or tables"
                      : ""));
    }

    @Override
    public void batchEnded() {
      held.signalProgress();
    }
  }
}
