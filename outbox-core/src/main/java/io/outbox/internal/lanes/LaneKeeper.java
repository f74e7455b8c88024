package io.outbox.internal.lanes;

import io.outbox.internal.RepeatedWarning;
import io.outbox.internal.StoreFailures;
import io.outbox.internal.StoreSession;
import io.outbox.model.Lane;
import io.outbox.model.LaneGrant;
import io.outbox.model.LaneReturn;
import io.outbox.model.LaneView;
import io.outbox.spi.LaneStore;
import io.outbox.util.DaemonThreadFactory;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Asks the database for lanes, renews them and gives them back, as {@link OwnedLanes} decides.
 * Thread-safe.
 */
public final class LaneKeeper {

  private static final Logger LOG = System.getLogger(LaneKeeper.class.getName());

  /** How often a node is heard of before it counts as dead. */
  private static final int BEATS_PER_LEASE = 5;

  /** The beat while lanes change hands. */
  private static final Duration MAX_QUICK_BEAT = Duration.ofMillis(250);

  private static final long IDLE_AGAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

  /** Told that other lanes are open now than before, on the keeper's thread. */
  public interface Listener {
    /**
     * @param gained how many were taken since the last time
     */
    void lanesChanged(int gained);
  }

  private final StoreSession session;
  private final LaneStore store;
  private final String node;
  private final Duration lease;
  private final OwnedLanes lanes;
  private final Listener listener;
  private final RepeatedWarning warning = new RepeatedWarning(LOG, Level.WARNING);
  private final CountDownLatch closing = new CountDownLatch(1);
  private final Thread thread;
  private boolean checked;
  private Set<Lane> known = Set.of();

  public LaneKeeper(
      StoreSession session,
      LaneStore store,
      String node,
      Duration lease,
      OwnedLanes lanes,
      Listener listener) {
    this.session = session;
    this.store = store;
    this.node = node;
    this.lease = lease;
    this.lanes = lanes;
    this.listener = listener;
    this.thread = new DaemonThreadFactory("outbox-lanes-").newThread(this::run);
  }

  /**
   * @throws IllegalStateException if the database is not made for this, or divides keys otherwise
   */
  public void start() {
    try {
      check();
    } catch (RuntimeException e) {
      if (StoreFailures.kindOf(e) != StoreFailures.Kind.AWAY) {
        throw e;
      }
      LOG.log(Level.WARNING, "the lanes cannot be looked at yet; trying again", e);
    }
    thread.start();
  }

  private void check() {
    session.inTransaction(
        conn -> {
          store.check(conn);
          return null;
        });
    checked = true;
  }

  private void run() {
    try {
      boolean quick;
      do {
        quick = beatSafely();
      } while (!closing.await(quick ? quickBeatNanos() : beatNanos(), TimeUnit.NANOSECONDS));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private long beatNanos() {
    return checked && !known.isEmpty() ? lease.toNanos() / BEATS_PER_LEASE : quickBeatNanos();
  }

  private long quickBeatNanos() {
    return Math.min(MAX_QUICK_BEAT.toNanos(), lease.toNanos() / BEATS_PER_LEASE);
  }

  /** Returns whether lanes are changing hands, so that the next beat should come soon. */
  private boolean beatSafely() {
    boolean quick = false;
    try {
      if (!checked) {
        check();
      }
      quick = beat();
    } catch (Throwable e) {
      warning.log(() -> "the lanes of node " + node + " cannot be renewed; trying again", e);
    }
    tellChanges();
    return quick;
  }

  private boolean beat() {
    long asked = lanes.asking();
    LaneView view = session.persistently(conn -> store.beat(conn, node, lease));
    OwnedLanes.Plan plan = lanes.renewed(asked, view);
    release(plan.release());
    if (plan.take() > 0) {
      long askedForMore = lanes.asking();
      LaneGrant grant = session.persistently(conn -> store.take(conn, node, lease, plan.take()));
      lanes.taken(askedForMore, grant);
      return grant.lanes().size() < plan.take() || lanes.isHandingOver();
    }
    return lanes.isHandingOver();
  }

  private void release(List<LaneReturn> idle) {
    if (!idle.isEmpty()) {
      session.persistently(
          conn -> {
            store.release(conn, node, idle);
            return null;
          });
    }
  }

  private void tellChanges() {
    Set<Lane> open = lanes.open();
    if (!open.equals(known)) {
      int gained = (int) open.stream().filter(lane -> !known.contains(lane)).count();
      known = open;
      try {
        listener.lanesChanged(gained);
      } catch (Throwable e) {
        warning.log(() -> "after a change of lanes", e);
      }
    }
  }

  /** Gives back lanes as they become idle, for {@code nanos} at most, and leaves. */
  public void close(long nanos) {
    closing.countDown();
    if (thread.getState() == Thread.State.NEW) {
      return; // it was refused to start
    }
    long deadline = System.nanoTime() + nanos;
    try {
      thread.join(TimeUnit.NANOSECONDS.toMillis(nanos)); // one request after the other
      do {
        release(lanes.leaveAll());
        if (lanes.size() > 0) {
          LockSupport.parkNanos(IDLE_AGAIN_NANOS);
        }
      } while (lanes.size() > 0 && deadline - System.nanoTime() > 0 && !Thread.interrupted());
      session.inTransaction(
          conn -> {
            store.leave(conn, node);
            return null;
          });
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (RuntimeException e) {
      warning.log(() -> "the lanes of node " + node + " end with their leases", e);
    }
  }
}
