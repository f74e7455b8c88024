package io.outbox.internal.engine;

import io.outbox.EventEnvelope;
import io.outbox.internal.Conditions;
import io.outbox.internal.SafeMetrics;
import io.outbox.internal.breaker.CircuitBreaker;
import io.outbox.internal.breaker.CircuitBreakers;
import io.outbox.internal.call.AsyncCalls;
import io.outbox.internal.call.Listeners;
import io.outbox.internal.call.MissingListeners;
import io.outbox.internal.hot.HotPath;
import io.outbox.internal.member.HaltedRoutes;
import io.outbox.internal.member.MemberReport;
import io.outbox.internal.member.Membership;
import io.outbox.internal.member.PauseWatch;
import io.outbox.internal.member.PausedRoutes;
import io.outbox.internal.queue.Delivery;
import io.outbox.internal.record.DeadLetters;
import io.outbox.internal.record.UnwrittenOutcomes;
import io.outbox.internal.settings.OutboxSettings;
import io.outbox.internal.store.CallWatch;
import io.outbox.internal.store.StoreSession;
import io.outbox.internal.time.EngineClock;
import io.outbox.internal.time.StandstillClock;
import io.outbox.model.EventRoute;
import io.outbox.spi.Member;
import io.outbox.spi.MemberDetail;
import io.outbox.spi.MetricsExporter;
import java.util.List;
import java.util.stream.Stream;

/** What every engine is made of, whatever its queue. */
final class EngineParts<D extends Delivery> implements HotPath.Halts {

  /** Told of what may be delivered. */
  interface Listener {
    void breakerChanged(CircuitBreaker breaker);

    void pausesChanged(boolean begun, boolean ended);

    void missingChanged(boolean begun, boolean ended);
  }

  final OutboxSettings settings;
  final EngineClock clock;
  final Conditions conditions;
  final CallWatch calls;
  final StoreSession session;
  final MetricsExporter metrics;
  final DeadLetters deadLetters;
  final UnwrittenOutcomes<D> unwritten;
  final AsyncCalls asyncCalls;
  final Listeners listeners;
  final CircuitBreakers breakers;
  final MissingListeners missing;
  final Membership members;
  final PauseWatch pauses;
  final PausedRoutes paused;
  final HaltedRoutes halted;

  EngineParts(OutboxSettings from, Listener listener) {
    settings = from;
    clock = new EngineClock(from.clock);
    conditions = new Conditions(clock::now);
    calls = new CallWatch(conditions);
    session = new StoreSession(from.connectionProvider, from.outboxStore, calls);
    metrics = new SafeMetrics(from.metrics);
    deadLetters = new DeadLetters(from.onDead);
    unwritten = UnwrittenOutcomes.bounded(from.queueCapacity(), from.maxQueuedBytes);
    asyncCalls = new AsyncCalls(unwritten::awaitRoom);
    listeners = new Listeners(from.listenerRegistry, from.interceptors);
    breakers =
        new CircuitBreakers(
            listeners::isOneFor, from.maxInFlight, from.maxQueuedBytes, listener::breakerChanged);
    missing =
        new MissingListeners(
            from.missingListenerGrace,
            clock::now,
            listeners::mayHaveOneFor,
            conditions,
            listener::missingChanged);
    members = members(listener);
    pauses = new PauseWatch(session, metrics, members::mayDeliver, listener::pausesChanged);
    paused = pauses.paused();
    halted = new HaltedRoutes(paused, this::closedRoutes);
  }

  private Membership members(Listener listener) {
    MemberReport report = new MemberReport(settings.node, settings.mode, conditions, metrics);
    return new Membership(
        session,
        settings.node,
        settings.mode,
        report,
        this::detail,
        new Nodes(listener),
        new StandstillClock());
  }

  /** Why events wait, for readers of the table. */
  private MemberDetail detail() {
    return new MemberDetail(breakers.outages(clock.now()), missing.list());
  }

  private final class Nodes implements Membership.Listener {
    private final Listener listener;

    Nodes(Listener listener) {
      this.listener = listener;
    }

    @Override
    public void changed(boolean mayDeliver) {
      listener.pausesChanged(!mayDeliver, mayDeliver);
    }

    @Override
    public void heard(List<Member> others) {
      missing.heardOf(others);
    }
  }

  /** Of listeners that are down or missing. */
  private List<EventRoute> closedRoutes() {
    List<EventRoute> missed = missing.leftOut();
    return missed.isEmpty()
        ? breakers.heldBackRoutes()
        : Stream.concat(breakers.heldBackRoutes().stream(), missed.stream()).toList();
  }

  boolean isLeftOut(EventEnvelope event) {
    return missing.isLeftOut(event.aggregateType(), event.eventType());
  }

  @Override
  public boolean isUnwanted(EventEnvelope event) {
    return paused.isPaused(event) || breakers.isOpenFor(event) || isLeftOut(event);
  }

  @Override
  public HotPath.HotOffer whyLeft(EventEnvelope event) {
    if (paused.isPaused(event)) {
      return HotPath.HotOffer.PAUSED;
    }
    return breakers.isDownFor(event) || isLeftOut(event)
        ? HotPath.HotOffer.DOWN
        : HotPath.HotOffer.DROPPED;
  }
}
