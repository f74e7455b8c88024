package io.outbox.internal.engine;

import io.outbox.EventEnvelope;
import io.outbox.internal.Conditions;
import io.outbox.internal.SafeMetrics;
import io.outbox.internal.breaker.CircuitBreaker;
import io.outbox.internal.breaker.CircuitBreakers;
import io.outbox.internal.breaker.ListenerNames;
import io.outbox.internal.call.AsyncCalls;
import io.outbox.internal.call.Listeners;
import io.outbox.internal.call.MissingListeners;
import io.outbox.internal.hot.HotPath;
import io.outbox.internal.member.HaltedRoutes;
import io.outbox.internal.member.MemberReport;
import io.outbox.internal.member.Membership;
import io.outbox.internal.member.PauseWatch;
import io.outbox.internal.member.PausedRoutes;
import io.outbox.internal.policy.Policies;
import io.outbox.internal.queue.Delivery;
import io.outbox.internal.record.DeadLetters;
import io.outbox.internal.record.OutcomeDecision;
import io.outbox.internal.record.UnwrittenOutcomes;
import io.outbox.internal.settings.OutboxSettings;
import io.outbox.internal.store.CallWatch;
import io.outbox.internal.store.StoreSession;
import io.outbox.internal.time.EngineClock;
import io.outbox.internal.time.StandstillClock;
import io.outbox.model.EventRoute;
import io.outbox.operate.DeliveryPause;
import io.outbox.spi.Member;
import io.outbox.spi.MemberDetail;
import io.outbox.spi.MemberDetail.BusyListener;
import io.outbox.spi.MetricsExporter;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What every engine is made of, whatever its queue. */
final class EngineParts<D extends Delivery> implements HotPath.Halts {

  /** Beside the queues, so much of their bytes for events that wait for their listeners. */
  private static final int ROOM_PART = 4;

  /** Told of what may be delivered. */
  interface Listener<D extends Delivery> extends Policies.Engine<D> {
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
  final Policies<D> policies;
  final MissingListeners missing;
  final Membership members;
  final PauseWatch pauses;
  final PausedRoutes paused;
  final HaltedRoutes halted;

  EngineParts(OutboxSettings from, Listener<D> listener) {
    settings = from;
    clock = new EngineClock(from.clock);
    conditions = new Conditions(clock::now);
    calls = new CallWatch(conditions);
    session = new StoreSession(from.connectionProvider, from.outboxStore, calls);
    metrics = SafeMetrics.around(from.metrics);
    unwritten = UnwrittenOutcomes.bounded(from.queueCapacity(), from.maxQueuedBytes);
    asyncCalls = new AsyncCalls(unwritten::awaitRoom);
    listeners = new Listeners(from.listenerRegistry, from.interceptors);
    deadLetters = new DeadLetters(from.onDead, listeners::fallbackFor);
    policies = policies(listener);
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
    pauses =
        new PauseWatch(
            session, metrics, members::mayDeliver, listener::pausesChanged, this::holdBack);
    paused = pauses.paused();
    halted = new HaltedRoutes(paused, this::closedRoutes, policies::takeRoom, policies::heldBack);
  }

  private Policies<D> policies(Listener<D> listener) {
    OutboxSettings from = settings;
    return new Policies<>(
        new OutcomeDecision(from.maxAttempts, from.maxAge, from.retryPolicy, from.deleteOnDone),
        from.mode,
        listeners::isOneFor,
        from.maxQueuedBytes / ROOM_PART,
        listener);
  }

  private Membership members(Listener<D> listener) {
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
    Instant now = clock.now();
    return new MemberDetail(breakers.outages(now), missing.list(), 0, busy(now));
  }

  private List<BusyListener> busy(Instant now) {
    return policies.busy().stream()
        .map(
            busy ->
                new BusyListener(
                    busy.what(ListenerNames.of(busy.listener(), busy.routes())),
                    now.minusNanos(busy.nanos()),
                    busy.routes()))
        .toList();
  }

  private final class Nodes implements Membership.Listener {
    private final Listener<D> listener;

    Nodes(Listener<D> listener) {
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

  private void holdBack(List<DeliveryPause> holds) {
    breakers
        .holds()
        .set(named(holds, DeliveryPause::tenantId), named(holds, DeliveryPause::destination));
  }

  private static Set<String> named(
      List<DeliveryPause> holds, Function<DeliveryPause, String> name) {
    return holds.stream().map(name).filter(Objects::nonNull).collect(Collectors.toSet());
  }

  /** Of listeners that are down, missing or busy. */
  private List<EventRoute> closedRoutes() {
    List<EventRoute> missed = missing.leftOut();
    Set<EventRoute> busy = policies.heldBack();
    return missed.isEmpty() && busy.isEmpty()
        ? breakers.heldBackRoutes()
        : Stream.of(breakers.heldBackRoutes(), missed, busy).flatMap(Collection::stream).toList();
  }

  /** Whether there is a database to ask, and anything that may be delivered. */
  boolean isReady() {
    return !unwritten.isDatabaseAway() && !paused.isAllPaused();
  }

  boolean isLeftOut(EventEnvelope event) {
    return missing.isLeftOut(event) || policies.holdsBack(event);
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
    if (breakers.isDownFor(event) || missing.isLeftOut(event)) {
      return HotPath.HotOffer.DOWN;
    }
    return policies.holdsBack(event) ? HotPath.HotOffer.BUSY : HotPath.HotOffer.DROPPED;
  }
}
