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
 *
 * @param closed the routes of listeners that are down, as long as no trial is wanted, or busy
 * @param room those whose listener is not busy any more, since that was last asked
 * @param busy those whose listener is busy
 */
public record HaltedRoutes(
    PausedRoutes paused,
    Supplier<List<EventRoute>> closed,
    Supplier<Set<EventRoute>> room,
    Supplier<Set<EventRoute>> busy) {

  /** The routes whose listener has room again, since this was last asked. */
  public Set<EventRoute> takeRoom() {
    return room.get();
  }

  public boolean areBusy(Set<EventRoute> routes) {
    return busy.get().containsAll(routes);
  }

  public List<EventRoute> all() {
    List<EventRoute> down = down();
    return down.isEmpty()
        ? paused.routes()
        : Stream.concat(paused.routes().stream(), down.stream()).toList();
  }

  public List<EventRoute> down() {
    return closed.get();
  }

  /** Whether some of {@link #down} have a listener that is not only busy. */
  public boolean isAnyOut() {
    return !busy.get().containsAll(down());
  }

  /**
   * @param down what {@link #down} said before, for many rows
   */
  public boolean isHalted(OutboxEvent row, List<EventRoute> down) {
    return paused.isPaused(row)
        || down.stream().anyMatch(route -> route.matches(row.aggregateType(), row.eventType()));
  }
}
