package io.outbox.internal.lanes;

import io.outbox.spi.lanes.Lane;
import io.outbox.spi.lanes.LaneGrant;
import io.outbox.spi.lanes.LaneReturn;
import io.outbox.spi.lanes.LaneView;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongSupplier;

/**
 * Which lanes a node owns, and until when it may deliver from them. Knows the time and what the
 * database answered, and decides; asking the database is somebody else's work. Thread-safe.
 *
 * <p>A lease is counted from before it was asked for, and ends here a little earlier than in the
 * database: when another node can take a lane over, this one has stopped. The database is asked one
 * thing after the other, and its answers are handed in in that order; one that is lost may come
 * true all the same, at any later time.
 */
public final class OwnedLanes {

  private final String node;
  private final LongSupplier nanoTime;
  private final long leaseNanos;
  private final long handoverNanos;
  private final Map<Integer, Owned> owned = new HashMap<>();

  /** What runs in each lane, also while it is lost: under the same epoch it may come back. */
  private final Map<Lane, Integer> running = new HashMap<>();

  private final Map<Integer, Loss> lost = new HashMap<>(); // the last of each lane
  private Set<Lane> open; // null: something has changed
  private long openUntilNanos;

  private record Loss(long epoch, long nanos) {}

  private static final class Owned {
    private final Lane lane;
    private long stamp;
    private long deadlineNanos;
    private boolean leaving;
    private long leavingUntilNanos;
    private long stayingUntilNanos; // after a handover that failed
    private boolean stayed;
    private boolean abandoned; // by its last owner

    Owned(Lane lane, long stamp, long deadlineNanos) {
      this.lane = lane;
      this.stamp = stamp;
      this.deadlineNanos = deadlineNanos;
    }

    LaneReturn giveBack() {
      return new LaneReturn(lane, stamp);
    }
  }

  /**
   * What to ask the database for next.
   *
   * @param release lanes to give back: nothing of them runs here, and nothing will be started
   * @param take how many more lanes this node should have
   */
  public record Plan(List<LaneReturn> release, int take) {}

  /**
   * @param lease how long a lane stays with a node that is not heard of
   * @param margin how much earlier this node stops; for clocks that do not run at the same speed
   * @param handover how long a lane that is to be handed over may take to finish what it runs
   */
  public OwnedLanes(
      String node, LongSupplier nanoTime, Duration lease, Duration margin, Duration handover) {
    this.node = node;
    this.nanoTime = nanoTime;
    this.leaseNanos = lease.minus(margin).toNanos();
    this.handoverNanos = handover.toNanos();
  }

  /** To be called before the database is asked; its answer is to be handed in with this. */
  public long asking() {
    return nanoTime.getAsLong();
  }

  /** The database has renewed what it says this node owns. */
  public synchronized Plan renewed(long askedNanos, LaneView view) {
    open = null;
    Map<Integer, Lane> there = new HashMap<>();
    view.owned().lanes().forEach(lane -> there.put(lane.number(), lane));
    owned.values().removeIf(mine -> !mine.lane.equals(there.get(mine.lane.number())));
    taken(askedNanos, view.owned());
    long now = nanoTime.getAsLong();
    int share = view.share(node);
    endHandovers(now, share);
    return new Plan(release(now, share), Math.max(0, share - owned.size()));
  }

  /** The database has given these lanes to this node. */
  public synchronized void taken(long askedNanos, LaneGrant grant) {
    open = null;
    long deadline = askedNanos + leaseNanos;
    for (Lane lane : grant.lanes()) {
      if (isOlderThanItsLoss(askedNanos, lane)) {
        continue;
      }
      Owned mine = owned.get(lane.number());
      if (mine == null || !mine.lane.equals(lane)) {
        Owned fresh = new Owned(lane, grant.stamp(), deadline);
        fresh.abandoned = grant.abandoned().contains(lane);
        owned.put(lane.number(), fresh);
      } else {
        mine.stamp = grant.stamp();
        mine.deadlineNanos = deadline;
      }
    }
  }

  /** If the database names this node as the owner later, it is: the loss was another server's. */
  private boolean isOlderThanItsLoss(long askedNanos, Lane lane) {
    Loss loss = lost.get(lane.number());
    return loss != null && lane.epoch() <= loss.epoch() && askedNanos - loss.nanos() <= 0;
  }

  /**
   * The database no longer knows this node as the owner under this epoch.
   *
   * @return whether this node still took itself for the owner
   */
  public synchronized boolean lost(Lane lane) {
    open = null;
    Loss loss = new Loss(lane.epoch(), nanoTime.getAsLong());
    lost.merge(lane.number(), loss, (a, b) -> a.epoch() > b.epoch() ? a : b);
    Owned mine = owned.get(lane.number());
    return mine != null && mine.lane.epoch() <= lane.epoch() && owned.remove(lane.number(), mine);
  }

  /** A handover that takes too long is given up, and one that is not wanted any more. */
  private void endHandovers(long now, int share) {
    int surplus = owned.size() - share;
    for (Owned mine : owned.values()) {
      if (mine.leaving && runningIn(mine) > 0 && now - mine.leavingUntilNanos >= 0) {
        mine.leaving = false;
        mine.stayed = true;
        mine.stayingUntilNanos = now + handoverNanos;
      } else if (mine.leaving && surplus <= 0) {
        mine.leaving = false;
      }
      surplus -= mine.leaving ? 1 : 0;
    }
  }

  /** Chooses lanes to hand over, idle ones first, and returns those that nothing runs in. */
  private List<LaneReturn> release(long now, int share) {
    long leaving = owned.values().stream().filter(mine -> mine.leaving).count();
    long more = owned.size() - share - leaving;
    owned.values().stream()
        .filter(mine -> !mine.leaving && !(mine.stayed && now - mine.stayingUntilNanos < 0))
        .sorted(Comparator.comparingInt(this::runningIn))
        .limit(Math.max(0, more))
        .toList()
        .forEach(
            mine -> {
              mine.leaving = true;
              mine.leavingUntilNanos = now + handoverNanos;
            });
    return takeOutIdle();
  }

  private List<LaneReturn> takeOutIdle() {
    List<LaneReturn> idle = new ArrayList<>();
    for (Owned mine : owned.values()) {
      if (mine.leaving && runningIn(mine) == 0) {
        idle.add(mine.giveBack());
      }
    }
    idle.forEach(back -> owned.remove(back.lane().number()));
    return idle;
  }

  /**
   * Begins something in a lane, which {@link #leave} ends; empty if it may not begin.
   *
   * @return the lane, with the epoch that its outcome is to be written with
   */
  public synchronized Optional<Lane> enter(int number) {
    Optional<Lane> lane = open(number);
    lane.ifPresent(entered -> running.merge(entered, 1, Integer::sum));
    return lane;
  }

  /** Ends what {@link #enter} began; its outcome is written, or never will be. */
  public synchronized void leave(Lane lane) {
    running.computeIfPresent(lane, (same, count) -> count == 1 ? null : count - 1);
  }

  private int runningIn(Owned mine) {
    return running.getOrDefault(mine.lane, 0);
  }

  /** Whether what began in this lane may still go on. */
  public synchronized boolean isHeld(Lane lane) {
    Owned mine = owned.get(lane.number());
    return mine != null && mine.lane.equals(lane) && nanoTime.getAsLong() - mine.deadlineNanos < 0;
  }

  /** The lanes from which events may be started now. */
  public synchronized Set<Lane> open() {
    long now = nanoTime.getAsLong();
    if (open == null || now - openUntilNanos >= 0) {
      open = openAt(now);
    }
    return open;
  }

  /** They stay so until something changes, or the first lease ends. */
  private Set<Lane> openAt(long now) {
    Set<Lane> lanes = new HashSet<>();
    long left = leaseNanos;
    for (Owned mine : owned.values()) {
      if (!mine.leaving && now - mine.deadlineNanos < 0) {
        lanes.add(mine.lane);
        left = Math.min(left, mine.deadlineNanos - now);
      }
    }
    openUntilNanos = now + left;
    return Collections.unmodifiableSet(lanes);
  }

  /** Whether events may be started now from the lane with this number. */
  public synchronized boolean isOpen(int number) {
    return open(number).isPresent();
  }

  /** The lane with this number, if events may be started from it now. */
  public synchronized Optional<Lane> open(int number) {
    Owned mine = owned.get(number);
    boolean open = mine != null && !mine.leaving && nanoTime.getAsLong() - mine.deadlineNanos < 0;
    return open ? Optional.of(mine.lane) : Optional.empty();
  }

  /** Whether the last owner of this lane did not give it back. */
  public synchronized boolean wasAbandoned(Lane lane) {
    Owned mine = owned.get(lane.number());
    return mine != null && mine.lane.equals(lane) && mine.abandoned;
  }

  /** Whether some lanes are to be given back as soon as nothing runs in them. */
  public synchronized boolean isHandingOver() {
    return owned.values().stream().anyMatch(mine -> mine.leaving);
  }

  /** Starts nothing more, for a node that leaves; returns what to give back as it becomes idle. */
  public synchronized List<LaneReturn> leaveAll() {
    open = null;
    owned.values().forEach(mine -> mine.leaving = true);
    return takeOutIdle();
  }

  /** As if all leases had ended: what runs must not go on, until the database renews them. */
  public synchronized void stop() {
    open = null;
    long now = nanoTime.getAsLong();
    owned.values().forEach(mine -> mine.deadlineNanos = now);
  }

  /** Also while its lease has lapsed or it is to be handed over: it may be open again at once. */
  public synchronized boolean owns(int number) {
    return owned.containsKey(number);
  }

  public synchronized int size() {
    return owned.size();
  }
}
