package io.outbox.internal.queue;

import io.outbox.internal.Guard;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.function.Predicate;

/**
 * Two bounded queues with one signal: a worker never waits while either has something. Of three
 * takes two prefer the hot queue and one the cold; of copies for subscriptions, eight of nine.
 * Thread-safe.
 */
public final class DeliveryQueues {

  /**
   * An event from the cold queue may bring several copies into the hot one. If they counted as much
   * as other events, that would overflow, and the poller would have to claim the rest.
   */
  private static final int OF_COPY = 1;

  private static final int OF_EVENT = 4;
  private static final int COLD_AFTER = 2 * OF_EVENT;

  private final Guard lock = new Guard();
  private final Condition notEmpty = lock.newCondition();
  private final Condition coldRoom = lock.newCondition();
  private final ArrayDeque<Delivery> hot = new ArrayDeque<>();
  private final ArrayDeque<Delivery> cold = new ArrayDeque<>();
  private final ArrayDeque<Delivery> again = new ArrayDeque<>(); // have waited for their listener
  private final int hotCapacity;
  private final int coldCapacity;
  private final long maxBytes;
  private int reservedSlots;
  private long hotBytes; // queued and reserved
  private long coldBytes;
  private long refusedBytes; // of the last event that the cold queue had no room for
  private int sinceCold; // how much was taken from the hot queue
  private boolean stopped;

  public DeliveryQueues(int hotCapacity, int coldCapacity, long maxBytes) {
    this.hotCapacity = hotCapacity;
    this.coldCapacity = coldCapacity;
    this.maxBytes = maxBytes;
  }

  /** Keeps a place in the hot queue for an event that is not committed yet. */
  public boolean reserveHot(long size) {
    try (Guard guard = lock.lock()) {
      if (stopped || hot.size() + reservedSlots >= hotCapacity || !fitsHot(size)) {
        return false;
      }
      reservedSlots++;
      hotBytes += size;
      return true;
    }
  }

  /** For an event that was given up before it was queued. */
  public void cancelReservation(HeldEvents.Ticket ticket) {
    cancelReservation(Delivery.bytesOf(ticket.envelope()));
  }

  public void cancelReservation(long size) {
    try (Guard guard = lock.lock()) {
      reservedSlots--;
      hotBytes -= size;
      coldRoom.signal();
    }
  }

  /**
   * Queues an event that has a reservation; false only when stopped. The reservation is used up.
   */
  public boolean offerReserved(Delivery delivery) {
    try (Guard guard = lock.lock()) {
      reservedSlots--;
      hotBytes -= delivery.bytes();
      return addHot(delivery);
    }
  }

  public boolean offerHot(Delivery delivery) {
    try (Guard guard = lock.lock()) {
      return hot.size() + reservedSlots < hotCapacity
          && fitsHot(delivery.bytes())
          && addHot(delivery);
    }
  }

  public boolean offerCold(Delivery delivery) {
    try (Guard guard = lock.lock()) {
      boolean added =
          cold.size() < coldCapacity && fitsCold(delivery.bytes()) && add(cold, delivery);
      coldBytes += added ? delivery.bytes() : 0;
      refusedBytes = added ? 0 : delivery.bytes();
      return added;
    }
  }

  /** Queues an event that a worker had before, in front of all others; also when stopped. */
  public void again(Delivery delivery) {
    try (Guard guard = lock.lock()) {
      again.add(delivery);
      notEmpty.signal();
    }
  }

  /** Waits for the next event; null once the queues are stopped and empty. */
  public Delivery take() throws InterruptedException {
    try (Guard guard = lock.lockInterruptibly()) {
      while (hot.isEmpty() && cold.isEmpty() && again.isEmpty()) {
        if (stopped) {
          return null;
        }
        notEmpty.await();
      }
      if (!again.isEmpty()) {
        return again.poll();
      }
      boolean fromHot = isTurnOfHot();
      Delivery delivery = (fromHot ? hot : cold).poll();
      hotBytes -= fromHot ? delivery.bytes() : 0;
      coldBytes -= fromHot ? 0 : delivery.bytes();
      if (cold.size() <= coldCapacity / 2) {
        coldRoom.signal();
      }
      return delivery;
    }
  }

  private boolean isTurnOfHot() {
    boolean fromHot = cold.isEmpty() || !hot.isEmpty() && sinceCold < COLD_AFTER;
    int more = fromHot && hot.peek().isCopy() ? OF_COPY : OF_EVENT;
    sinceCold = fromHot && sinceCold < COLD_AFTER ? sinceCold + more : 0;
    return fromHot;
  }

  /**
   * Waits until the cold queue is at most half full, a quarter of the bytes is free, and what was
   * refused last fits. Stopped queues never have room.
   *
   * @return whether there is room
   */
  public boolean awaitColdRoom(long nanos) throws InterruptedException {
    try (Guard guard = lock.lockInterruptibly()) {
      while (!hasColdRoom() && nanos > 0) {
        nanos = coldRoom.awaitNanos(nanos);
      }
      return hasColdRoom();
    }
  }

  public int coldRemaining() {
    try (Guard guard = lock.lock()) {
      if (stopped) {
        return 0;
      }
      return hotBytes + coldBytes < maxBytes ? coldCapacity - cold.size() : cold.isEmpty() ? 1 : 0;
    }
  }

  public int hotDepth() {
    try (Guard guard = lock.lock()) {
      return hot.size();
    }
  }

  public int coldDepth() {
    try (Guard guard = lock.lock()) {
      return cold.size();
    }
  }

  /** Accepts nothing from now on; what is queued can still be taken. */
  public void stop() {
    try (Guard guard = lock.lock()) {
      stopped = true;
      notEmpty.signalAll();
      coldRoom.signalAll();
    }
  }

  public boolean isStopped() {
    try (Guard guard = lock.lock()) {
      return stopped;
    }
  }

  /** Takes out everything that is left. */
  public List<Delivery> drain() {
    try (Guard guard = lock.lock()) {
      List<Delivery> left = new ArrayList<>(hot);
      int hotCount = left.size();
      left.addAll(cold);
      left.addAll(again);
      hot.clear();
      cold.clear();
      again.clear();
      coldBytes = 0;
      left.subList(0, hotCount).forEach(delivery -> hotBytes -= delivery.bytes());
      return left;
    }
  }

  /** Takes out what {@code unwanted} is true for. */
  public List<Delivery> remove(Predicate<Delivery> unwanted) {
    try (Guard guard = lock.lock()) {
      List<Delivery> removed = new ArrayList<>();
      hotBytes -= remove(hot, unwanted, removed);
      coldBytes -= remove(cold, unwanted, removed);
      remove(again, unwanted, removed);
      coldRoom.signal();
      return removed;
    }
  }

  private static long remove(
      ArrayDeque<Delivery> queue, Predicate<Delivery> unwanted, List<Delivery> removed) {
    int before = removed.size();
    queue.stream().filter(unwanted).forEach(removed::add);
    List<Delivery> fromHere = removed.subList(before, removed.size());
    queue.removeAll(new HashSet<>(fromHere));
    return fromHere.stream().mapToLong(Delivery::bytes).sum();
  }

  private boolean hasColdRoom() {
    return !stopped
        && cold.size() <= coldCapacity / 2
        && fitsCold(Math.max(refusedBytes, maxBytes / 4));
  }

  private boolean addHot(Delivery delivery) {
    boolean added = add(hot, delivery);
    hotBytes += added ? delivery.bytes() : 0;
    return added;
  }

  private boolean add(ArrayDeque<Delivery> queue, Delivery delivery) {
    if (stopped) {
      return false;
    }
    queue.add(delivery);
    notEmpty.signal();
    return true;
  }

  /**
   * One event always fits, however large, so that a small bound cannot stop delivery. A quarter is
   * left to the cold side.
   */
  private boolean fitsHot(long size) {
    return hotBytes == 0
        || hotBytes + size <= maxBytes - maxBytes / 4 && hotBytes + coldBytes + size <= maxBytes;
  }

  /** One event always fits here, too, whatever the hot side has. */
  private boolean fitsCold(long size) {
    return cold.isEmpty() || hotBytes + coldBytes + size <= maxBytes;
  }
}
