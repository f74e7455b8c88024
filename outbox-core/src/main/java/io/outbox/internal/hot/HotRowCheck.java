package io.outbox.internal.hot;

import io.outbox.internal.RepeatedWarning;
import io.outbox.internal.lease.LeaseReturns;
import io.outbox.internal.queue.Delivery;
import io.outbox.internal.queue.DeliveryQueues;
import io.outbox.internal.queue.HeldEvents;
import io.outbox.internal.store.StoreSession;
import io.outbox.internal.time.EngineThread;
import io.outbox.internal.time.WakeUps;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * Looks whether committed events are really there before they are queued, many with one query: for
 * transactions that are rolled back to savepoints without anybody telling the outbox. What waits
 * here has its place in the hot queue already. Thread-safe.
 */
public final class HotRowCheck {

  private static final int MAX_BATCH = 500;
  private static final long STEP_MILLIS = 200;

  private final StoreSession session;
  private final DeliveryQueues queues;
  private final HeldEvents held;
  private final LeaseReturns returns;
  private final WakeUps wakeUps;
  private final boolean all;
  private final boolean rowsMayBeLost;
  private final BlockingQueue<Delivery> waiting;
  private final RepeatedWarning warning = new RepeatedWarning(HotRowCheck.class, Level.WARNING);
  private final EngineThread thread;

  /**
   * @param capacity how many events may wait here
   * @param all whether every row is to be looked at, even if nothing speaks against it
   */
  public HotRowCheck(
      StoreSession session,
      DeliveryQueues queues,
      HeldEvents held,
      LeaseReturns returns,
      WakeUps wakeUps,
      int capacity,
      boolean all) {
    this.session = session;
    this.queues = queues;
    this.held = held;
    this.returns = returns;
    this.wakeUps = wakeUps;
    this.all = all;
    this.rowsMayBeLost = session.store().mayLoseRowsInTransaction();
    this.waiting = new LinkedBlockingQueue<>(capacity);
    this.thread = new EngineThread("outbox-row-check-", "rows cannot be looked up", this::run);
  }

  public void start() {
    if (all || rowsMayBeLost) {
      thread.start();
    }
  }

  /**
   * @param found whether the row was there right before the commit
   */
  boolean isNeeded(boolean found) {
    return all || rowsMayBeLost && !found;
  }

  /** Takes an event with a reservation, which is used up in any case. */
  boolean offer(Delivery delivery) {
    boolean offered = !thread.isClosed() && waiting.offer(delivery);
    if (!offered) {
      queues.cancelReservation(delivery.bytes());
    }
    return offered;
  }

  /** Ends the check and returns what was not looked at. */
  public List<Delivery> close() {
    thread.close();
    List<Delivery> left = new ArrayList<>();
    waiting.drainTo(left);
    return left;
  }

  private long run() throws InterruptedException {
    List<Delivery> batch = new ArrayList<>();
    Delivery first = waiting.poll(STEP_MILLIS, TimeUnit.MILLISECONDS);
    if (first != null) {
      batch.add(first);
      waiting.drainTo(batch, MAX_BATCH - 1);
      check(batch);
    }
    return 0;
  }

  private void check(List<Delivery> batch) {
    Set<String> there;
    try {
      List<String> ids = batch.stream().map(Delivery::eventId).toList();
      there = session.read(conn -> session.store().findExisting(conn, ids));
    } catch (Throwable e) {
      warning.log(() -> "rows cannot be looked up; the poller will deliver these events", e);
      there = Set.of();
    }
    for (Delivery delivery : batch) {
      if (!queue(delivery, there.contains(delivery.eventId()))) {
        delivery.drop(); // first: a poll must not let it go on under another lease
        returns.giveBack(List.of(delivery.ref()));
        held.release(delivery);
        wakeUps.now();
      }
    }
  }

  private boolean queue(Delivery delivery, boolean there) {
    if (!there) {
      queues.cancelReservation(delivery.bytes());
    }
    return there && queues.offerReserved(delivery);
  }
}
