package io.outbox.internal.member;

import io.outbox.model.EventRoute;
import io.outbox.model.OutboxEvent;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * The events that are not worth reading now: operators have paused them, or their listener is down.
 * Thread-safe.
 */
public final class HaltedRoutes {

  private final PausedRoutes paused;
  private final Supplier<List<EventRoute>> down;
  private final BooleanSupplier room;

  /**
   * @param down the routes of listeners that are down, as long as no trial is wanted
   */
  public HaltedRoutes(PausedRoutes paused, Supplier<List<EventRoute>> down) {
    this(paused, down, () -> true);
  }

  /**
   * @param down the routes of listeners that are down or busy
   * @param room whether some listener is not busy any more, since that was last asked
   */
  public HaltedRoutes(PausedRoutes paused, Supplier<List<EventRoute>> down, BooleanSupplier room) {
    this.paused = paused;
    this.down = down;
    this.room = room;
  }

  public boolean takeRoom() {
    return room.getAsBoolean();
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

  /**
   * @param closed what {@link #down} said before, for many rows
   */
  public boolean isHalted(OutboxEvent row, List<EventRoute> closed) {
    return paused.isPaused(row)
        || closed.stream().anyMatch(route -> route.matches(row.aggregateType(), row.eventType()));
  }
}
