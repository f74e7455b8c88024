package io.outbox.internal.member;

import io.outbox.model.EventRoute;
import io.outbox.model.OutboxEvent;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * The events that are not worth reading now: operators have paused them, or their listener is down.
 * Thread-safe.
 */
public final class HaltedRoutes {

  private final PausedRoutes paused;
  private final Supplier<List<EventRoute>> down;
  private final Supplier<Set<EventRoute>> room;
  private final Supplier<Set<EventRoute>> busy;

  /**
   * @param down the routes of listeners that are down, as long as no trial is wanted
   */
  public HaltedRoutes(PausedRoutes paused, Supplier<List<EventRoute>> down) {
    this(paused, down, Set::of, Set::of);
  }

  /**
   * @param down the routes of listeners that are down or busy
   * @param room those whose listener is not busy any more, since that was last asked
   * @param busy those whose listener is busy
   */
  public HaltedRoutes(
      PausedRoutes paused,
      Supplier<List<EventRoute>> down,
      Supplier<Set<EventRoute>> room,
      Supplier<Set<EventRoute>> busy) {
    this.paused = paused;
    this.down = down;
    this.room = room;
    this.busy = busy;
  }

  /** The routes whose listener has room again, since this was last asked. */
  public Set<EventRoute> takeRoom() {
    return room.get();
  }

  public boolean areBusy(Set<EventRoute> routes) {
    return busy.get().containsAll(routes);
  }

  public List<EventRoute> all() {
    List<EventRoute> closed = down.get();
    return closed.isEmpty()
        ? paused.routes()
        : Stream.concat(paused.routes().stream(), closed.stream()).toList();
  }

  public List<EventRoute> down() {
    return down.get();
  }

  /** Whether some of {@link #down} have a listener that is not only busy. */
  public boolean isAnyOut() {
    return !busy.get().containsAll(down.get());
  }

  /**
   * @param closed what {@link #down} said before, for many rows
   */
  public boolean isHalted(OutboxEvent row, List<EventRoute> closed) {
    return paused.isPaused(row)
        || closed.stream().anyMatch(route -> route.matches(row.aggregateType(), row.eventType()));
  }
}
