package io.outbox.internal.policy;

import io.outbox.internal.Guard;
import io.outbox.internal.queue.Delivery;
import io.outbox.model.EventRoute;
import io.outbox.policy.ListenerPolicy;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

/**
 * The way to one listener that has a bulkhead or a rate limit. An event that finds no place waits
 * here, in a bounded number; when a place gets free, the first one has it and goes back to the
 * workers. While too many wait, their routes are not worth reading. Thread-safe.
 */
public final class Gate<D extends Delivery> {

  private static final int MAX_ROUTES = 1000;
  private static final int MAX_TOLD = 20;

  /** What a gate needs around it. */
  interface Surroundings<D extends Delivery> {
    /** Hands an event that has its place to the workers. */
    void again(D delivery);

    /** Whether the events of a route can be left in the table. */
    boolean canBeLeft(EventRoute route);

    void after(long nanos, Runnable task);

    /** Other routes are held back than before. Called without a lock. */
    void heldBackChanged();
  }

  private final Surroundings<D> around;
  private final LongSupplier nanoTime;
  private final WaitingRoom room;
  private final int places;
  private final RateWindow rate; // null: any
  private final RoomSize size;
  private final Runnable leave = this::left;

  private final Guard lock = new Guard();
  private final ArrayDeque<D> waiting = new ArrayDeque<>();
  private final Set<EventRoute> heldBack = new HashSet<>(); // while it is full
  private int inside;
  private boolean full;
  private boolean wasFull; // since it was empty
  private boolean timed; // somebody looks again when the rate allows
  private boolean changed; // and nobody was told
  private boolean closed;
  private long waitingSince;

  Gate(ListenerPolicy policy, WaitingRoom room, LongSupplier nanoTime, Surroundings<D> around) {
    this.around = around;
    this.nanoTime = nanoTime;
    this.room = room;
    this.places = policy.concurrency().orElse(Integer.MAX_VALUE);
    this.rate = policy.rateLimit().map(RateWindow::new).orElse(null);
    this.size = new RoomSize(policy.concurrency().orElse(1));
  }

  /** Whether the call of an event may start now; if so, it has a place until it leaves. */
  public boolean enter(D delivery) {
    if (delivery.isAdmittedBy(leave)) {
      return true; // it has waited
    }
    try (Guard guard = lock.lock()) {
      if (!waiting.isEmpty() || !takePlace()) {
        return false;
      }
      delivery.admittedBy(leave);
      return true;
    }
  }

  private boolean takePlace() {
    if (inside >= places || rate != null && !rate.tryStart(nanoTime.getAsLong())) {
      return false;
    }
    inside++;
    return true;
  }

  /**
   * Keeps an event until it has a place; it may have one, and be with another worker, before this
   * returns.
   *
   * @return false if too many wait
   */
  public boolean park(D delivery) {
    boolean parked;
    try (Guard guard = lock.lock()) {
      parked = !closed && waiting.size() < size.get() && takeRoom(delivery);
      if (parked) {
        add(delivery);
      }
      if (!waiting.isEmpty() && (!parked || waiting.size() >= size.get())) {
        holdBack(EventRoute.of(delivery.envelope()));
      }
    }
    tell();
    return parked;
  }

  private boolean takeRoom(D delivery) {
    return room.take(delivery.bytes(), waiting.isEmpty());
  }

  private void add(D delivery) {
    if (waiting.isEmpty()) {
      waitingSince = nanoTime.getAsLong();
      size.begin(waitingSince);
    }
    delivery.park();
    waiting.add(delivery);
    admit(); // a place may have become free since it asked
  }

  private void holdBack(EventRoute route) {
    full = true;
    wasFull = true;
    if (heldBack.size() < MAX_ROUTES && !heldBack.contains(route) && around.canBeLeft(route)) {
      heldBack.add(route);
      changed = true;
    }
  }

  /** An event has left the listener, or did not come to it. */
  private void left() {
    try (Guard guard = lock.lock()) {
      inside--;
      if (!waiting.isEmpty()) {
        size.ended(nanoTime.getAsLong());
      }
      admit();
    }
    tell();
  }

  private void admit() {
    while (!waiting.isEmpty() && takePlace()) {
      D next = waiting.poll();
      room.free(next.bytes());
      next.admittedBy(leave);
      around.again(next); // inside the lock: after close() nothing must come
    }
    if (!waiting.isEmpty() && inside < places && !timed) {
      timed = true;
      around.after(rate.nanosLeft(nanoTime.getAsLong()), this::rateAllows);
    }
    if (full && waiting.size() <= size.get() / 2) {
      full = false;
      changed |= !heldBack.isEmpty();
      heldBack.clear();
    }
    if (wasFull && waiting.isEmpty()) {
      wasFull = false;
      size.grow();
    }
  }

  private void rateAllows() {
    try (Guard guard = lock.lock()) {
      timed = false;
      admit();
    }
    tell();
  }

  private void tell() {
    boolean tellNow;
    try (Guard guard = lock.lock()) {
      tellNow = changed;
      changed = false;
    }
    if (tellNow) {
      around.heldBackChanged();
    }
  }

  /**
   * Why events wait here; null if none does.
   *
   * @param listener whose gate it is
   */
  Busy busy(Object listener) {
    try (Guard guard = lock.lock()) {
      if (waiting.isEmpty()) {
        return null;
      }
      List<EventRoute> routes =
          Stream.concat(
                  heldBack.stream(), waiting.stream().map(one -> EventRoute.of(one.envelope())))
              .distinct()
              .limit(MAX_TOLD)
              .toList();
      String limit =
          inside >= places
              ? "a place of listener %s (" + places + " at a time)"
              : "the rate limit of listener %s (" + rate + ")";
      return new Busy(listener, limit, nanoTime.getAsLong() - waitingSince, routes);
    }
  }

  /** The routes whose events are not worth reading now. */
  List<EventRoute> heldBack() {
    try (Guard guard = lock.lock()) {
      return List.copyOf(heldBack);
    }
  }

  /** Whether events of its route stay in the table until there is room. */
  public boolean holdsBack(D delivery) {
    try (Guard guard = lock.lock()) {
      return heldBack.contains(EventRoute.of(delivery.envelope()));
    }
  }

  /** Lets nothing wait any more; returns what did. */
  List<D> close() {
    try (Guard guard = lock.lock()) {
      closed = true;
      List<D> left = new ArrayList<>(waiting);
      waiting.clear();
      left.forEach(delivery -> room.free(delivery.bytes()));
      return left;
    }
  }
}
