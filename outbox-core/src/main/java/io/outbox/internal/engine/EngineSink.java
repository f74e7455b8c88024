package io.outbox.internal.engine;

import io.outbox.EventEnvelope;
import io.outbox.dispatch.QueuedEvent;
import io.outbox.internal.poll.PollSink;
import io.outbox.internal.store.CallWatch;
import io.outbox.internal.time.EngineClock;
import io.outbox.internal.time.WakeUps;
import io.outbox.model.EventRef;
import io.outbox.model.EventRoute;
import io.outbox.model.OutboxEvent;
import java.time.Duration;
import java.util.Collection;
import java.util.List;

/** Hands what the poller found to the cold queue. For one poller. */
public class EngineSink implements PollSink {

  private final DeliveryEngine engine;
  private long progressAtPoll;

  public EngineSink(DeliveryEngine engine) {
    this.engine = engine;
  }

  @Override
  public boolean handle(EventEnvelope event, int attempts) {
    return engine.enqueue(new QueuedEvent(event, QueuedEvent.Source.COLD, attempts), false);
  }

  @Override
  public int availableCapacity() {
    return engine.pollCapacity();
  }

  @Override
  public void claimsAs(String ownerId, Duration timeout) {
    engine.pollerClaimsAs(ownerId, timeout);
  }

  @Override
  public CallWatch calls() {
    return engine.calls();
  }

  @Override
  public EngineClock clock() {
    return engine.clock();
  }

  @Override
  public WakeUps wakeUps() {
    return engine.wakeUps();
  }

  @Override
  public boolean isReady() {
    return engine.isReady();
  }

  @Override
  public void pollStarted() {
    engine.beforePoll();
    progressAtPoll = engine.held().progress();
    engine
        .pollRestarts()
        .pollStarted(); // before: what is let go of in between makes the poll outdated
    engine.held().pollStarted();
  }

  @Override
  public long restarts() {
    return engine.pollRestarts().count();
  }

  @Override
  public List<EventRoute> unwantedRoutes() {
    return engine.unwantedRoutes();
  }

  @Override
  public Handover offer(OutboxEvent row, EventEnvelope envelope) {
    return engine.offerPolled(row, envelope);
  }

  @Override
  public Handover offerUndecodable(OutboxEvent row, Throwable reason) {
    return engine.offerUndecodable(row, reason);
  }

  @Override
  public void giveBack(Collection<EventRef> leases) {
    engine.returns().giveBack(leases);
  }

  @Override
  public boolean pollFinished() {
    return engine.held().pollFinished();
  }

  @Override
  public boolean awaitCapacity(long maxNanos) throws InterruptedException {
    return engine.awaitCapacity(maxNanos);
  }

  @Override
  public boolean awaitProgress(long maxNanos) throws InterruptedException {
    return engine.held().awaitProgress(progressAtPoll, maxNanos);
  }
}
