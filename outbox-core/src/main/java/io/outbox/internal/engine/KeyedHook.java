package io.outbox.internal.engine;

import io.outbox.EventEnvelope;
import io.outbox.internal.BatchHook;
import io.outbox.model.EventKey;
import io.outbox.model.EventRoute;
import io.outbox.spi.NewEvent;
import java.lang.ref.WeakReference;
import java.time.Instant;
import java.util.List;

/** Has the owner of a key look as soon as something is committed for it. */
public record KeyedHook(KeyedQueue queue) implements BatchHook {

  /** Of larger batches not every key is remembered: then all keys are looked through. */
  private static final int MAX_KNOWN = 1000;

  /**
   * What is to be known of an event when it is committed.
   *
   * @param delayedUntil null if it is not delayed
   * @param event where it is, as long as there is no need for its memory: a transaction may be long
   */
  record Committed(
      EventKey key, EventRoute route, Instant delayedUntil, WeakReference<EventEnvelope> event) {
    static Committed of(EventEnvelope event) {
      return new Committed(
          EventKey.of(event),
          EventRoute.of(event),
          event.isDelayed() ? event.availableAt() : null,
          new WeakReference<>(event));
    }
  }

  @Override
  public List<NewEvent> beforeInsert(List<EventEnvelope> events) {
    return events.stream().map(event -> new NewEvent(event, null, queue.isLate(event))).toList();
  }

  @Override
  public Batch inserted(List<EventEnvelope> events) {
    return new Written(
        events.stream().limit(MAX_KNOWN).map(Committed::of).toList(), events.size() > MAX_KNOWN);
  }

  @Override
  public void afterCommit(List<EventEnvelope> events) {
    inserted(events).committed();
  }

  private final class Written implements Batch {
    private final List<Committed> events;
    private final boolean more;

    private Written(List<Committed> events, boolean more) {
      this.events = events;
      this.more = more;
    }

    @Override
    public void committed() {
      events.forEach(queue::committed);
      if (more) {
        queue.committedMore();
      }
    }

    @Override
    public void rolledBack() {}
  }
}
