package io.outbox.internal.engine;

import io.outbox.EventEnvelope;
import io.outbox.dispatch.QueuedEvent;
import io.outbox.internal.poll.PollSink;
import io.outbox.internal.queue.Delivery;
import io.outbox.internal.queue.DeliveryQueues;
import io.outbox.internal.queue.HeldEvents;
import io.outbox.internal.store.CallWatch;
import io.outbox.internal.time.EngineClock;
import io.outbox.internal.time.WakeUps;
import io.outbox.model.EventRef;
import io.outbox.model.EventRoute;
import io.outbox.model.OutboxEvent;
import io.outbox.spi.Outcome;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/** Hands what the poller found to the cold queue. For one poller. */
public class ColdSink implements PollSink {

  private final PolledQueue queue;
  private final EngineParts<Delivery> parts;
  private final DeliveryQueues queues;
  private final HeldEvents held;
  private final AtomicLong restarts = new AtomicLong();
  private long progressAtPoll;

  ColdSink(PolledQueue queue) {
    this.queue = queue;
    this.parts = queue.parts;
    this.queues = queue.queues;
    this.held = queue.held;
  }

  final EngineParts<Delivery> parts() {
    return parts;
  }

  /** The next poll begins at the first row. */
  void restart() {
    restarts.incrementAndGet();
  }

  @Override
  public final long restarts() {
    return restarts.get();
  }

  @Override
  public final boolean takeRoom() {
    return !parts.policies.takeRoom().isEmpty();
  }

  @Override
  public final boolean handle(EventEnvelope event, int attempts) {
    return queue.enqueue(new QueuedEvent(event, QueuedEvent.Source.COLD, attempts), false);
  }

  @Override
  public final void claimsAs(String ownerId, Duration timeout) {
    queue.leases.claimedAs(ownerId, timeout);
  }

  @Override
  public final CallWatch calls() {
    return parts.calls;
  }

  @Override
  public final EngineClock clock() {
    return parts.clock;
  }

  @Override
  public final WakeUps wakeUps() {
    return queue.wakeUps;
  }

  @Override
  public final boolean drains() {
    return true;
  }

  @Override
  public boolean isReady() {
    return parts.isReady() && !queues.isStopped();
  }

  @Override
  public List<EventRoute> unwantedRoutes() {
    return parts.halted.all();
  }

  // ---- room

  @Override
  public final int availableCapacity() {
    int waiting = parts.policies.waiting(); // for places, without a worker
    parts.metrics.recordQueueDepths(queues.hotDepth(), queues.coldDepth() + waiting);
    parts.metrics.recordWaitingForListeners(waiting);
    int room = queues.coldRemaining();
    return queue.leases.areUsed()
        ? Math.min(room, queue.budget.left(held.size() - waiting, queues.coldDepth()))
        : room;
  }

  @Override
  public final boolean awaitCapacity(long maxNanos) throws InterruptedException {
    long progress = held.progress();
    if (availableCapacity() > 0 || queues.coldRemaining() == 0) {
      return queues.awaitColdRoom(maxNanos);
    }
    held.awaitProgress(progress, maxNanos);
    return availableCapacity() > 0;
  }

  @Override
  public final boolean awaitProgress(long maxNanos) throws InterruptedException {
    return held.awaitProgress(progressAtPoll, maxNanos);
  }

  // ---- a poll

  /** After an outage: give back, renew, then poll. */
  @Override
  public final void pollStarted() {
    parts.missing.review();
    queue.returns.tryAgain();
    queue.leases.catchUp();
    progressAtPoll = held.progress();
    polls(); // before: what is let go of in between makes the poll outdated
    held.pollStarted();
  }

  void polls() {}

  @Override
  public final boolean pollFinished() {
    return held.pollFinished();
  }

  @Override
  public Handover offer(OutboxEvent row, EventEnvelope envelope) {
    if (parts.paused.isPaused(row)) {
      return paused();
    }
    if (parts.isLeftOut(envelope)) {
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
    parts.metrics.incrementColdEnqueued();
    return Handover.ACCEPTED;
  }

  /** A row may not be delivered now. */
  Handover paused() {
    return Handover.PAUSED;
  }

  @Override
  public final Handover offerUndecodable(OutboxEvent row, Throwable reason) {
    if (parts.paused.isPaused(row)) {
      return paused();
    }
    Delivery delivery = Delivery.ofRow(row, Delivery.stub(row));
    if (!held.holdPolled(delivery)) {
      return alreadyHeld(row);
    }
    delivery.start();
    queue.recorder.submit(
        delivery,
        Outcome.dead(
            delivery.ref(), row.attempts(), parts.clock.now(), "cannot be read: " + reason));
    return Handover.ACCEPTED;
  }

  private Handover alreadyHeld(OutboxEvent row) {
    return row.lease() == null || held.adopt(row) ? Handover.HELD : Handover.HELD_ELSEWHERE;
  }

  @Override
  public final void giveBack(Collection<EventRef> leases) {
    queue.returns.giveBack(leases);
  }
}
