package io.outbox.internal.call;

import io.outbox.EventEnvelope;
import io.outbox.internal.Conditions;
import io.outbox.model.EventRoute;
import io.outbox.operate.Condition.Kind;
import io.outbox.spi.Member;
import io.outbox.spi.MemberDetail;
import io.outbox.spi.MemberDetail.MissingListener;
import io.outbox.util.PrintableLogger;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * The routes that this node has no listener for. Another node may have one, so their events wait in
 * the table, until no live node has had one for the grace period. Thread-safe.
 */
public final class MissingListeners {

  private static final Logger LOG = PrintableLogger.of(MissingListeners.class);

  /** Events of further routes are put off one by one. */
  static final int MAX_SEEN = 50;

  /** Beyond that other nodes take this one for one that may have a listener, and wait. */
  static final int MAX_ASKED = 100;

  /** A route of which nothing came for so long, though it is read, is forgotten. */
  static final Duration QUIET = Duration.ofMinutes(5);

  private static final int MAX_SHOWN = 3;

  /** Told of a change, when it is in force. */
  public interface Listener {
    /**
     * What this node lacks has changed.
     *
     * @param begun whether the events of some route are left out that were not
     * @param ended whether those of some are not any more
     */
    void changed(boolean begun, boolean ended);
  }

  private final Duration grace; // zero: nothing waits
  private final Supplier<Instant> now;
  private final Predicate<EventRoute> hasListener;
  private final Conditions conditions;
  private final Listener listener;
  private final Map<EventRoute, MissingRoute> seen = new LinkedHashMap<>();
  private final Map<EventRoute, Instant> asked = new LinkedHashMap<>(); // seen elsewhere
  private List<Set<EventRoute>> others = List.of(); // what each other node lacks
  private Instant heardAt; // of them; null: there is no list of nodes
  private Set<EventRoute> lacked = Set.of(); // all of these
  private volatile List<EventRoute> leftOut = List.of(); // most of the time none

  /**
   * @param grace for how long no live node must have had a listener; zero if nothing waits
   * @param now the database's time
   * @param hasListener whether some event of a route may have a listener on this node
   */
  public MissingListeners(
      Duration grace,
      Supplier<Instant> now,
      Predicate<EventRoute> hasListener,
      Conditions conditions,
      Listener listener) {
    this.grace = grace;
    this.now = now;
    this.hasListener = hasListener;
    this.conditions = conditions;
    this.listener = listener;
  }

  /**
   * Takes note of an event without a listener.
   *
   * @param tooOldAt when it must not wait any longer; null if it may
   * @param nearMiss listeners that it may have been meant for; null if none is known
   * @return whether it waits for a node that has one
   */
  boolean waits(EventRoute route, Instant tooOldAt, String nearMiss) {
    if (grace.isZero() || hasListener.test(route)) {
      return false;
    }
    Change change;
    String another;
    synchronized (this) {
      Instant at = now.get();
      MissingRoute missing = seen.get(route);
      boolean isNew = missing == null;
      if (isNew) {
        if (seen.size() >= MAX_SEEN) {
          return true;
        }
        missing = new MissingRoute(route, grace, asked.getOrDefault(route, at));
        missing.lackedByOthers(isLackedByOthers(route), at);
        seen.put(route, missing);
      }
      missing.seen(at, nearMiss);
      if (missing.isOver(asOf(at))) {
        return false;
      }
      missing.waitsUntil(tooOldAt, at);
      change = update(at);
      another = isNew && seen.size() > 1 ? missing.describe(asOf(at)) : null;
    }
    if (another != null) { // of the first the condition tells, which begins with it
      LOG.log(Level.WARNING, another);
    }
    tell(change);
    return true;
  }

  /** Since when no live node has a listener; null if one may have. */
  synchronized Instant nobodySince(EventRoute route) {
    MissingRoute missing = seen.get(route);
    return missing == null ? null : missing.nobodySince();
  }

  /** The routes whose events are not worth reading now. */
  public List<EventRoute> leftOut() {
    return leftOut;
  }

  public boolean isLeftOut(EventRoute ofEvent) {
    return leftOut.contains(ofEvent);
  }

  public boolean isLeftOut(EventEnvelope event) {
    return !leftOut.isEmpty() && leftOut.contains(EventRoute.of(event));
  }

  /** For the other nodes: what this one has no listener for, and whether it has such events. */
  public synchronized List<MissingListener> list() {
    List<MissingListener> all = new ArrayList<>();
    seen.values().forEach(missing -> all.add(missing.forOthers()));
    asked.forEach(
        (route, since) -> {
          if (!seen.containsKey(route)) {
            all.add(new MissingListener(route, since, false));
          }
        });
    return all;
  }

  /** The other nodes that are alive. */
  public void heardOf(List<Member> nodes) {
    heard(nodes.stream().map(node -> MemberDetail.read(node.detail()).missingListeners()).toList());
  }

  /**
   * The other nodes that are alive, each with what it has no listener for. One that says nothing of
   * a route may have one.
   */
  void heard(List<List<MissingListener>> nodes) {
    Change change;
    synchronized (this) {
      others =
          nodes.stream()
              .map(lacks -> lacks.stream().map(MissingListener::route).collect(Collectors.toSet()))
              .toList();
      Instant at = now.get();
      heardAt = at;
      Set<EventRoute> wanted = new HashSet<>();
      nodes.forEach(
          lacks ->
              lacks.stream()
                  .filter(MissingListener::seen)
                  .map(MissingListener::route)
                  .forEach(wanted::add));
      answer(wanted, at);
      seen.forEach((route, missing) -> missing.lackedByOthers(isLackedByOthers(route), at));
      change = update(at);
    }
    tell(change);
  }

  /** An event may be in a lane of another node, so that this one would never see it. */
  private void answer(Set<EventRoute> wanted, Instant at) {
    asked.keySet().retainAll(wanted);
    wanted.stream()
        .filter(route -> asked.size() < MAX_ASKED && !hasListener.test(route))
        .forEach(route -> asked.putIfAbsent(route, at));
  }

  private boolean isLackedByOthers(EventRoute route) {
    return others.stream().allMatch(lacked -> lacked.contains(route));
  }

  /** Looks whether a listener has come, or time has passed. To be called now and then. */
  public void review() {
    if (isEmpty()) {
      return;
    }
    Change change;
    synchronized (this) {
      change = update(now.get());
    }
    tell(change);
  }

  private synchronized boolean isEmpty() {
    return seen.isEmpty() && asked.isEmpty();
  }

  // ---- under the lock

  private record Change(boolean begun, boolean ended, boolean ofWhatIsLacked) {}

  private Change update(Instant at) {
    asked.keySet().removeIf(hasListener);
    seen.keySet().removeIf(hasListener);
    seen.values().removeIf(missing -> missing.isQuietFor(QUIET, at));
    Instant asOf = asOf(at);
    List<EventRoute> after = new ArrayList<>();
    seen.forEach(
        (route, missing) -> {
          if (missing.isLeftOut(asOf, at)) {
            after.add(route);
          }
        });
    List<EventRoute> before = leftOut;
    leftOut = List.copyOf(after);
    report(asOf);
    Set<EventRoute> lacks = new HashSet<>(seen.keySet());
    lacks.addAll(asked.keySet());
    boolean changed = !lacks.equals(lacked);
    lacked = lacks;
    return new Change(!before.containsAll(after), !after.containsAll(before), changed);
  }

  /** By the last look at the other nodes: who has come since may have a listener. */
  private Instant asOf(Instant at) {
    return heardAt == null ? at : heardAt;
  }

  private void report(Instant asOf) {
    if (seen.isEmpty()) {
      conditions.clear(Kind.NO_LISTENER);
      return;
    }
    conditions.raise(
        Kind.NO_LISTENER,
        seen.values().stream()
            .limit(MAX_SHOWN)
            .map(missing -> missing.describe(asOf))
            .collect(
                Collectors.joining(
                    "; ",
                    "",
                    seen.size() > MAX_SHOWN
                        ? "; and for " + (seen.size() - MAX_SHOWN) + " others"
                        : "")));
  }

  private void tell(Change change) {
    if (change.begun() || change.ended() || change.ofWhatIsLacked()) {
      listener.changed(change.begun(), change.ended());
    }
  }
}
