package io.outbox.internal.lanes;

import io.outbox.internal.RepeatedWarning;
import io.outbox.internal.store.CallWatch;
import io.outbox.internal.store.StoreFailures;
import io.outbox.internal.store.StoreSession;
import io.outbox.internal.time.EngineThread;
import io.outbox.spi.lanes.Lane;
import io.outbox.spi.lanes.LaneGrant;
import io.outbox.spi.lanes.LaneReturn;
import io.outbox.spi.lanes.LaneStore;
import io.outbox.spi.lanes.LaneView;
import io.outbox.util.DaemonThreadFactory;
import io.outbox.util.PrintableLogger;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;

/**
 * Asks the database for lanes, renews them and gives them back, as {@link OwnedLanes} decides.
 * Thread-safe.
 */
public final class LaneKeeper {

  private static final Logger LOG = PrintableLogger.of(LaneKeeper.class);

  /** How often a node is heard of before it counts as dead. */
  private static final int BEATS_PER_LEASE = 5;

  /** The beat while lanes change hands. */
  private static final Duration MAX_QUICK_BEAT = Duration.ofMillis(250);

  /** How long to wait at the end for the database to hear that this node leaves. */
  private static final long LEAVE_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** How long a start waits to hear that the database is made for this. */
  private static final long FIRST_LOOK_SECONDS = 10;

  private static final long IDLE_AGAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

  /** Told that other lanes are open now than before, on the keeper's thread. */
  public interface Listener {
    /**
     * @param gained how many were taken since the last time
     */
    void lanesChanged(int gained);
  }

  private final StoreSession session;
  private final CallWatch calls;
  private final LaneStore store;
  private final String node;
  private final Duration lease;
  private final OwnedLanes lanes;
  private final Listener listener;
  private final RepeatedWarning warning = new RepeatedWarning(LOG, Level.WARNING);
  private final EngineThread thread;
  private volatile boolean others;
  private volatile boolean checked;
  private Set<Lane> known = Set.of();

  public LaneKeeper(
      StoreSession session,
      CallWatch calls,
      LaneStore store,
      String node,
      Duration lease,
      OwnedLanes lanes,
      Listener listener) {
    this.session = session.renewing(lease);
    this.calls = calls;
    this.store = store;
    this.node = node;
    this.lease = lease;
    this.lanes = lanes;
    this.listener = listener;
    this.thread =
        new EngineThread(
            "outbox-lanes-",
            "the lanes of node " + node + " cannot be kept",
            () -> beatSafely() ? quickBeatNanos() : beatNanos());
  }

  /**
   * Returns after a bounded time, whatever the pool does.
   *
   * @throws IllegalStateException if the database is not made for this, or divides keys otherwise
   */
  public void start() {
    FutureTask<Void> look = new FutureTask<>(this::check, null);
    new DaemonThreadFactory("outbox-lanes-first-").newThread(look).start();
    try {
      look.get(FIRST_LOOK_SECONDS, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      throwUnlessAway(e.getCause());
      LOG.log(Level.WARNING, "the lanes cannot be looked at yet; trying again", e.getCause());
    } catch (TimeoutException e) {
      LOG.log(Level.WARNING, "the database does not answer, so the lanes are looked at later");
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    thread.start();
  }

  private static void throwUnlessAway(Throwable failure) {
    if (failure instanceof Error error) {
      throw error;
    } else if (failure instanceof RuntimeException refusal
        && StoreFailures.kindOf(failure) != StoreFailures.Kind.AWAY) {
      throw refusal;
    }
  }

  private void check() {
    session.inTransaction(
        conn -> {
          store.check(conn);
          return null;
        });
    checked = true;
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
      quick = true; // another connection may be better
    }
    tellChanges();
    return quick;
  }

  private boolean beat() {
    if (calls.isStuck()) {
      lanes.stop(); // another node can do what this one cannot
      return false;
    }
    long asked = lanes.asking();
    LaneView view = session.persistently(conn -> store.beat(conn, node, lease));
    others = view.nodes().size() > 1;
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

  /** Whether other nodes were alive at the last beat. */
  public boolean hasOthers() {
    return others;
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

  /**
   * Gives back lanes as they become idle, for {@code nanos} at most, and leaves; bounded, whatever
   * the database does. On the keeper's thread: one request comes after the other.
   */
  public void close(long nanos) throws InterruptedException {
    long idleByNanos = System.nanoTime() + nanos;
    thread.close(() -> leave(idleByNanos));
    thread.join(nanos + LEAVE_NANOS);
  }

  private void leave(long idleByNanos) {
    try {
      do {
        release(lanes.leaveAll());
        if (lanes.size() > 0) {
          LockSupport.parkNanos(IDLE_AGAIN_NANOS);
        }
      } while (lanes.size() > 0 && idleByNanos - System.nanoTime() > 0);
      session.inTransaction(
          conn -> {
            // After a long wait for the connection this node may have been started again.
            if (idleByNanos + LEAVE_NANOS - System.nanoTime() > 0) {
              store.leave(conn, node);
            }
            return null;
          });
    } catch (RuntimeException e) {
      warning.log(() -> "the lanes of node " + node + " end with their leases", e);
    }
  }
}
