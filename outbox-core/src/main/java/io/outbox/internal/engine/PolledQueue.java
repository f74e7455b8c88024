package io.outbox.internal.engine;

import io.outbox.EventEnvelope;
import io.outbox.dispatch.QueuedEvent;
import io.outbox.internal.hot.HotPath;
import io.outbox.internal.hot.HotRowCheck;
import io.outbox.internal.lease.ClaimBudget;
import io.outbox.internal.lease.LeaseReturns;
import io.outbox.internal.lease.Leases;
import io.outbox.internal.queue.Delivery;
import io.outbox.internal.queue.DeliveryQueues;
import io.outbox.internal.queue.HeldEvents;
import io.outbox.internal.record.OutcomeRecorder;
import io.outbox.internal.record.OutcomeSettler;
import io.outbox.internal.settings.OutboxSettings;
import io.outbox.internal.time.WakeUps;
import io.outbox.model.EventRef;
import io.outbox.spi.Outcome;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/** Events from the hot path and from a poller. Thread-safe. */
public abstract class PolledQueue implements EngineQueue<Delivery> {

  private static final Duration LOCKED_AGAIN = Duration.ofMillis(250);
  private static final int RETURNED_TOGETHER = 1000;

  final EngineParts<Delivery> parts;
  final WakeUps wakeUps = new WakeUps();
  final DeliveryQueues queues;
  final HeldEvents held;
  final LeaseReturns returns;
  final OutcomeRecorder<Delivery> recorder;
  final Leases leases;
  final ClaimBudget budget;
  private final HotRowCheck rowCheck;
  private final HotPath hotPath;
  private final List<Delivery> left = new ArrayList<>(); // at the end, for its last owner
  private volatile boolean stopping;

  PolledQueue(EngineParts<Delivery> parts) {
    OutboxSettings from = parts.settings;
    this.parts = parts;
    queues = new DeliveryQueues(from.hotQueueCapacity, from.coldQueueCapacity, from.maxQueuedBytes);
    held = new HeldEvents(queues::cancelReservation);
    returns =
        new LeaseReturns(parts.session, () -> wakeUps.at(parts.clock.now().plus(LOCKED_AGAIN)));
    OutcomeSettler settler = new OutcomeSettler(held, parts.metrics, wakeUps, parts.deadLetters);
    // In order, or a crash between two batches could have an event follow its successor.
    recorder = new OutcomeRecorder<>(parts.session, settler, parts.unwritten, mayBePassed());
    leases =
        new Leases(
            parts.session, parts.calls, parts.clock, held, parts.unwritten::databaseAnswered);
    if (from.claimTimeout != null && from.outboxStore.supportsLeases()) {
      parts.calls.under(from.claimTimeout);
    }
    budget = new ClaimBudget(from.workerCount);
    rowCheck =
        new HotRowCheck(
            parts.session,
            queues,
            held,
            returns,
            wakeUps,
            from.hotQueueCapacity,
            from.checkRowsBeforeHotDelivery);
    hotPath = new HotPath(queues, held, leases, parts, rowCheck, new Ends(settler));
  }

  /** Where a poller leaves what it found. */
  public abstract ColdSink sink();

  /** For hooks of writers. */
  public HotPath hotPath() {
    return hotPath;
  }

  public WakeUps wakeUps() {
    return wakeUps;
  }

  @Override
  public HeldEvents held() {
    return held;
  }

  @Override
  public OutcomeRecorder<Delivery> recorder() {
    return recorder;
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
      parts.metrics.incrementHotEnqueued();
    } else {
      parts.metrics.incrementColdEnqueued();
    }
    return queued;
  }

  public int coldRemaining() {
    return queues.coldRemaining();
  }

  // ---- for workers

  @Override
  public Delivery next() throws InterruptedException {
    return queues.take();
  }

  @Override
  public void again(Delivery delivery) {
    queues.again(delivery);
  }

  @Override
  public boolean mayStart(Delivery delivery) {
    return !parts.paused.isPaused(delivery.envelope()) && leases.ensure(delivery);
  }

  @Override
  public void started(Delivery delivery) {
    if (delivery.source() == QueuedEvent.Source.HOT) {
      parts.metrics.recordCommitToListener(System.nanoTime() - delivery.heldSinceNanos());
    } else if (delivery.dueAt() != null) {
      parts.metrics.recordDueToListener(parts.clock.nanosSince(delivery.dueAt()));
    }
  }

  @Override
  public void served(long nanos) {
    budget.served(nanos);
  }

  @Override
  public void finished(Delivery delivery, Outcome outcome, boolean mayWait) {
    if (!delivery.endsUnwritten(outcome)) {
      recorder.submit(delivery, outcome, mayWait);
    }
  }

  private final class Ends implements HotPath.Ends {
    private final OutcomeSettler settler;

    Ends(OutcomeSettler settler) {
      this.settler = settler;
    }

    @Override
    public boolean mayBePassed() {
      return PolledQueue.this.mayBePassed();
    }

    @Override
    public void left() {
      wakeUps.now();
    }

    @Override
    public void queued() {
      parts.metrics.incrementHotEnqueued();
    }

    @Override
    public void databaseAnswered() {
      parts.unwritten.databaseAnswered();
    }

    @Override
    public void settled(Delivery delivery, Outcome outcome) {
      settler.written(delivery, outcome);
    }

    @Override
    public void finished(Delivery delivery, Outcome outcome) {
      recorder.submit(delivery, outcome, false);
    }

    @Override
    public void giveBack(EventRef ref) {
      giveBackOrKeep(List.of(ref));
    }
  }

  /** In the table: unless it is due later, the next poll would bring it again. */
  @Override
  public void notCalled(Delivery delivery, Instant at) {
    finished(delivery, Outcome.deferred(delivery.ref(), delivery.attempts(), at), true);
  }

  boolean isStopping() {
    return stopping;
  }

  /** At the end all of them with one statement. */
  void giveBackOrKeep(List<EventRef> refs) {
    if (stopping) {
      returns.keep(refs);
    } else {
      returns.giveBack(refs);
    }
  }

  // ---- what may not be delivered now

  @Override
  public void remove(Predicate<EventEnvelope> unwanted) {
    giveBack(drop(queues.remove(delivery -> unwanted.test(delivery.envelope()))));
  }

  void giveBack(List<EventRef> dropped) {
    for (int from = 0; from < dropped.size(); from += RETURNED_TOGETHER) {
      int to = Math.min(dropped.size(), from + RETURNED_TOGETHER);
      returns.giveBack(dropped.subList(from, to));
    }
    held.signalProgress();
  }

  /** Lets go of what no worker has; returns what that was. */
  List<EventRef> drop(List<Delivery> deliveries) {
    List<EventRef> dropped = new ArrayList<>();
    for (Delivery delivery : deliveries) {
      if (delivery.drop()) {
        held.release(delivery);
        if (!delivery.endsUnwritten(null)) {
          dropped.add(delivery.ref());
        }
      }
      delivery.left(); // also if it had been dropped before
    }
    return dropped;
  }

  @Override
  public void tryAfter(Duration pause) {
    wakeUps.at(parts.clock.now().plus(pause));
  }

  @Override
  public void resume() {
    sink().restart();
    wakeUps.now();
  }

  // ---- begin and end

  @Override
  public void start() {
    leases.start(parts.settings.ownerId, parts.settings.claimTimeout);
    rowCheck.start();
  }

  @Override
  public void stop(long drainNanos) {
    stopping = true;
    left.addAll(rowCheck.close());
    queues.stop();
  }

  @Override
  public void drop() {
    left.addAll(parts.policies.close());
    left.addAll(queues.drain());
  }

  @Override
  public List<EventRef> unstarted() {
    List<EventRef> unstarted = drop(left);
    stopping = false; // who comes back later has to see to itself
    unstarted.addAll(returns.takeAll());
    return unstarted;
  }

  @Override
  public void close(long maxNanos) {
    leases.close();
  }
}
