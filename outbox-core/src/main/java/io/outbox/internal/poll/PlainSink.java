package io.outbox.internal.poll;

import io.outbox.EventEnvelope;
import io.outbox.internal.Conditions;
import io.outbox.internal.lease.LeaseReturns;
import io.outbox.internal.queue.PlainPoll;
import io.outbox.internal.store.CallWatch;
import io.outbox.internal.store.StoreSession;
import io.outbox.internal.time.EngineClock;
import io.outbox.internal.time.WakeUps;
import io.outbox.model.EventRef;
import io.outbox.model.OutboxEvent;
import io.outbox.poller.OutboxPollerHandler;
import io.outbox.spi.ConnectionProvider;
import io.outbox.spi.OutboxStore;
import java.time.Clock;
import java.time.Duration;
import java.util.Collection;

/** Makes a user's handler look like a dispatcher that knows nothing of what it took. */
public final class PlainSink implements PollSink {

  private final OutboxPollerHandler handler;
  private final StoreSession session;
  private final CallWatch calls;
  private final EngineClock clock;
  private final WakeUps wakeUps = new WakeUps();
  private final LeaseReturns returns;
  private boolean claims;
  private PlainPoll poll; // null: none is under way

  public PlainSink(
      OutboxPollerHandler handler, ConnectionProvider connections, OutboxStore store, Clock clock) {
    this.handler = handler;
    this.calls = new CallWatch(new Conditions(clock::instant));
    this.session = new StoreSession(connections, store, calls);
    this.clock = new EngineClock(clock);
    this.returns = new LeaseReturns(session, () -> {}); // one batch per interval, not sooner
  }

  @Override
  public boolean handle(EventEnvelope event, int attempts) {
    return handler.handle(event, attempts);
  }

  @Override
  public int availableCapacity() {
    return handler.availableCapacity();
  }

  @Override
  public boolean drains() {
    return false;
  }

  @Override
  public void claimsAs(String ownerId, Duration timeout) {
    claims = ownerId != null;
    if (claims) {
      calls.under(timeout);
    }
  }

  @Override
  public CallWatch calls() {
    return calls;
  }

  @Override
  public EngineClock clock() {
    return clock;
  }

  @Override
  public WakeUps wakeUps() {
    return wakeUps;
  }

  @Override
  public boolean isReady() {
    return true;
  }

  @Override
  public void pollStarted() {
    returns.tryAgain();
    if (!claims) { // a claimed row is nobody else's, and never outdated
      poll = PlainPoll.begin();
    }
  }

  @Override
  public void giveBack(Collection<EventRef> leases) {
    returns.giveBack(leases);
  }

  @Override
  public Handover offer(OutboxEvent row, EventEnvelope envelope) {
    return handler.handle(envelope, row.attempts()) ? Handover.ACCEPTED : Handover.FULL;
  }

  @Override
  public Handover offerUndecodable(OutboxEvent row, Throwable reason) {
    session.inTransaction(
        conn -> session.store().markDead(conn, row.eventId(), "cannot be read: " + reason));
    return Handover.ACCEPTED;
  }

  @Override
  public boolean pollFinished() {
    if (poll != null) {
      poll.end();
      poll = null;
    }
    return true;
  }

  @Override
  public boolean awaitCapacity(long maxNanos) {
    return true;
  }

  @Override
  public boolean awaitProgress(long maxNanos) {
    return true;
  }
}
