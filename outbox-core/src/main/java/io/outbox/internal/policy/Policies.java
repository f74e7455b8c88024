package io.outbox.internal.policy;

import io.outbox.EventEnvelope;
import io.outbox.EventListener;
import io.outbox.internal.AsyncListener;
import io.outbox.internal.OwnWork;
import io.outbox.internal.PolicedListener;
import io.outbox.internal.RepeatedWarning;
import io.outbox.internal.queue.Delivery;
import io.outbox.internal.record.OutcomeDecision;
import io.outbox.model.EventRoute;
import io.outbox.policy.ListenerPolicy;
import io.outbox.spi.DeliveryMode;
import io.outbox.util.DaemonThreadFactory;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** The policies of listeners, as one engine keeps them. Thread-safe. */
public final class Policies<D extends Delivery> {

  /** A registry may make listeners as it goes; those beyond this number have no limits. */
  private static final int MAX_LISTENERS = 256;

  /** What the engine does for them. */
  public interface Engine<D extends Delivery> {
    /** Hands an event to a worker again, before others. */
    void again(D delivery);

    /** Events of some routes have too many before them, or have room now. */
    void heldBackChanged(boolean begun, boolean ended);
  }

  private final ListenerTerms<D> standard;
  private final ListenerTerms<D> ownWork;
  private final DeliveryMode mode; // null: no order is kept
  private final Predicate<EventRoute> hasOneListener;
  private final Engine<D> engine;
  private final WaitingRoom room;
  private final Map<PolicedListener, ListenerTerms<D>> terms = new ConcurrentHashMap<>();
  private final RepeatedWarning warning = new RepeatedWarning(Policies.class, Level.WARNING);
  private final ScheduledThreadPoolExecutor timer; // without a thread until there is a task
  private volatile Set<EventRoute> heldBack = Set.of();
  private final Set<EventRoute> hadNoRoom = ConcurrentHashMap.newKeySet(); // and have, it seems

  /**
   * @param standard for listeners without a policy
   * @param mode null if none is known
   * @param hasOneListener whether all events of a route go the same way
   * @param maxBytes of events that wait for their listeners
   */
  public Policies(
      OutcomeDecision standard,
      DeliveryMode mode,
      Predicate<EventRoute> hasOneListener,
      long maxBytes,
      Engine<D> engine) {
    this.standard = new ListenerTerms<>(standard, null, null);
    this.mode = mode;
    this.ownWork =
        new ListenerTerms<>(standard.ofOwnWork(hasOneAttempt()), ListenerTerms.NO_TIMEOUT, null);
    this.hasOneListener = hasOneListener;
    this.room = new WaitingRoom(maxBytes);
    this.engine = engine;
    this.timer = new ScheduledThreadPoolExecutor(1, new DaemonThreadFactory("outbox-rates-"));
    timer.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
  }

  /** For listeners without a policy. */
  public ListenerTerms<D> standard() {
    return standard;
  }

  public ListenerTerms<D> of(EventListener listener) {
    if (listener instanceof PolicedListener policed) {
      return ofPoliced(policed);
    }
    return OwnWork.is(listener) ? ownWork : standard;
  }

  private ListenerTerms<D> ofPoliced(PolicedListener listener) {
    ListenerTerms<D> known = terms.get(listener);
    if (known != null) {
      return known;
    }
    if (terms.size() < MAX_LISTENERS) {
      return terms.computeIfAbsent(listener, any -> newTerms(listener, true));
    }
    warning.log(
        () ->
            "more than "
                + MAX_LISTENERS
                + " listeners have policies; concurrency and rateLimit of the others have no"
                + " effect: put a policy around a listener once, not per event");
    return newTerms(listener, false);
  }

  private ListenerTerms<D> newTerms(PolicedListener listener, boolean limited) {
    ListenerPolicy policy = listener.policy();
    if (limited) {
      warnOfNoEffect(policy);
    }
    boolean hasGate =
        limited && (policy.concurrency().isPresent() || policy.rateLimit().isPresent());
    return new ListenerTerms<>(
        standard.decision().under(policy, hasOneAttempt()),
        hasTimeouts() ? policy.timeout().orElse(null) : null,
        hasGate ? new Gate<>(policy, room, System::nanoTime, new Surroundings()) : null);
  }

  /** A second attempt would come after events that were written later. */
  private boolean hasOneAttempt() {
    return mode == DeliveryMode.ORDERED;
  }

  /** A call that was given up may still run while the next event is delivered. */
  private boolean hasTimeouts() {
    return mode != DeliveryMode.ORDERED && mode != DeliveryMode.ORDERED_BY_KEY;
  }

  private void warnOfNoEffect(ListenerPolicy policy) {
    boolean tooOften = policy.maxAttempts().orElse(1) > 1 || !policy.alwaysRetried().isEmpty();
    if (hasOneAttempt() && tooOften) {
      warning.log(
          () -> mode + " has one attempt: no effect of maxAttempts and retryAlways in " + policy);
    }
    if (!hasTimeouts() && policy.timeout().isPresent()) {
      warning.log(() -> mode + " keeps the order without timeouts: no effect of one in " + policy);
    }
  }

  private final class Surroundings implements Gate.Surroundings<D> {
    @Override
    public void again(D delivery) {
      engine.again(delivery);
    }

    @Override
    public boolean canBeLeft(EventRoute route) {
      return hasOneListener.test(route);
    }

    @Override
    public void after(long nanos, Runnable task) {
      try {
        timer.schedule(task, nanos, TimeUnit.NANOSECONDS);
      } catch (RejectedExecutionException e) {
        // Closed: what waits is given back.
        warning.log(() -> "events that wait for their rate limit stay in the table");
      }
    }

    @Override
    public void heldBackChanged() {
      lookAgain();
    }
  }

  private void lookAgain() {
    boolean begun;
    boolean ended;
    synchronized (this) {
      Set<EventRoute> before = heldBack;
      heldBack =
          gates().stream().flatMap(gate -> gate.heldBack().stream()).collect(Collectors.toSet());
      begun = !before.containsAll(heldBack);
      ended = haveRoom(before);
    }
    engine.heldBackChanged(begun, ended);
  }

  private List<Gate<D>> gates() {
    return terms.values().stream()
        .map(ListenerTerms::gate)
        .filter(gate -> gate != null)
        .collect(Collectors.toList());
  }

  /** An event was left in the table, and its listener may have had room before it got there. */
  public void wasLeft(EventEnvelope event) {
    if (haveRoom(Set.of(EventRoute.of(event)))) {
      engine.heldBackChanged(false, true);
    }
  }

  /** Whether there is room by now for some of these, whose events were left in the table. */
  public boolean haveRoom(Set<EventRoute> left) {
    boolean room = false;
    for (EventRoute route : left) {
      if (!holdsBack(route)) {
        hadNoRoom.add(route);
        room = true;
      }
    }
    return room;
  }

  /** The routes that were held back and are not any more, since this was last asked. */
  public Set<EventRoute> takeRoom() {
    Set<EventRoute> room = new HashSet<>();
    for (EventRoute route : hadNoRoom) {
      if (hadNoRoom.remove(route) && !heldBack.contains(route)) {
        room.add(route);
      }
    }
    return room;
  }

  /** The routes whose events are not worth reading now; mostly none. */
  public Set<EventRoute> heldBack() {
    return heldBack;
  }

  public boolean holdsBack(EventEnvelope event) {
    return !heldBack.isEmpty() && heldBack.contains(EventRoute.of(event));
  }

  public boolean holdsBack(EventRoute ofEvent) {
    return heldBack.contains(ofEvent);
  }

  /** The listeners that let events wait now. */
  public List<Busy> busy() {
    return terms.entrySet().stream()
        .filter(entry -> entry.getValue().gate() != null)
        .map(entry -> entry.getValue().gate().busy(users(entry.getKey())))
        .filter(Objects::nonNull)
        .toList();
  }

  private static Object users(PolicedListener policed) {
    return AsyncListener.plain(PolicedListener.plain(policed));
  }

  /** How many events wait for a place at their listener. */
  public int waiting() {
    return room.events();
  }

  /** Lets no event wait any more; returns those that do. */
  public List<D> close() {
    timer.shutdown();
    List<D> left = new ArrayList<>();
    gates().forEach(gate -> left.addAll(gate.close()));
    return left;
  }
}
