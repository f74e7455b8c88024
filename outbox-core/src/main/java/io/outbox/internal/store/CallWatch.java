package io.outbox.internal.store;

import io.outbox.internal.Conditions;
import io.outbox.operate.Condition;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Knows which calls of an engine to its database are under way, the wait for a connection included,
 * and how long they may take. A node whose calls do not come back cannot do its work: it says so,
 * and must not renew what it holds. Asks no database. Thread-safe.
 */
public final class CallWatch {

  /** Where no lease says how long a call may take, and at most. */
  static final Duration LONGEST = Duration.ofSeconds(30);

  /** A lease that is too short for the network does not make calls fail. */
  static final Duration SHORTEST = Duration.ofSeconds(1);

  private final Conditions conditions;
  private final Map<Object, Long> calls = new ConcurrentHashMap<>();
  private final List<CallWatch> others = new CopyOnWriteArrayList<>();
  private volatile Duration bound = LONGEST;
  private volatile Duration patience; // null: less than the bound

  public CallWatch(Conditions conditions) {
    this.conditions = Objects.requireNonNull(conditions, "conditions");
  }

  /** What the engine holds while it works is held under such leases. */
  public CallWatch under(Duration lease) {
    Duration atLeast = lease.compareTo(SHORTEST) < 0 ? SHORTEST : lease;
    bound = atLeast.compareTo(LONGEST) < 0 ? atLeast : LONGEST;
    return this;
  }

  /** What hangs there keeps this node from its work, too. */
  public void include(CallWatch other) {
    others.add(other);
  }

  /** For work that holds up nobody: an answer may take this long. */
  public CallWatch patient(Duration answer) {
    patience = answer;
    return this;
  }

  /**
   * How long a transaction may be idle before the server ends it, and how long work may take before
   * this node counts as stuck: about a lease.
   */
  Duration bound() {
    return bound;
  }

  /** How long one answer of the database may take: it comes, or fails, before a lease ends. */
  Duration answer() {
    if (patience != null) {
      return patience;
    }
    Duration answer = bound.multipliedBy(3).dividedBy(4);
    return answer.compareTo(SHORTEST) < 0 ? SHORTEST : answer;
  }

  /** As {@link #answer()}, if it comes too late after a third of this lease. */
  Duration answer(Duration lease) {
    Duration third = lease.dividedBy(3);
    Duration most = third.compareTo(SHORTEST) < 0 ? SHORTEST : third;
    return most.compareTo(answer()) < 0 ? most : answer();
  }

  /** Returns what to {@link #end}. */
  Object begin() {
    Object call = new Object();
    calls.put(call, System.nanoTime());
    return call;
  }

  void end(Object call) {
    calls.remove(call);
  }

  private boolean hasCallBefore(long nanos) {
    return calls.values().stream().anyMatch(since -> nanos - since > 0);
  }

  /** Whether a call does not come back. Raises and clears the condition. */
  public boolean isStuck() {
    Duration most = bound;
    long now = System.nanoTime();
    boolean stuck =
        hasCallBefore(now - most.toNanos())
            || others.stream().anyMatch(other -> other.hasCallBefore(now - most.toNanos()));
    if (stuck) {
      conditions.raise(
          Condition.Kind.CANNOT_WORK,
          "a database call of this node has not come back for more than "
              + most.toMillis()
              + " ms, so the node leaves its events to other nodes; look at the connection pool,"
              + " the network and the database");
    } else {
      conditions.clear(Condition.Kind.CANNOT_WORK);
    }
    return stuck;
  }
}
