package io.outbox.internal.engine;

import io.outbox.EventEnvelope;
import io.outbox.internal.BatchHook;
import io.outbox.internal.keyed.Look;
import io.outbox.model.EventKey;
import io.outbox.model.EventRoute;
import io.outbox.spi.NewEvent;
import java.time.Instant;
import java.util.List;

/**
 * Has the owner of a key look as soon as something is committed for it.
 *
 * @param early whether it may look before that: somebody will tell how the transaction ended
 */
public record KeyedHook(KeyedCommits commits, boolean early) implements BatchHook {

  /** Of larger batches not every key is remembered: then all keys are looked through. */
  private static final int MAX_KNOWN = 1000;

  /**
   * What is to be known of an event when it is committed.
   *
   * @param delayedUntil null if it is not delayed
   * @param look what is known of it before its commit; null if nothing is
   */
  record Written(EventKey key, EventRoute route, Instant delayedUntil, Look look) {}

  @Override
  public BatchHook withoutMemory() {
    return new KeyedHook(commits, false);
  }

  @Override
  public List<NewEvent> beforeInsert(List<EventEnvelope> events) {
    return events.stream().map(event -> new NewEvent(event, null, commits.isLate(event))).toList();
  }

  @Override
  public Batch inserted(List<EventEnvelope> events) {
    return batch(events, early);
  }

  @Override
  public void afterCommit(List<EventEnvelope> events) {
    batch(events, false).committed();
  }

  private Batch batch(List<EventEnvelope> events, boolean mayLook) {
    boolean more = events.size() > MAX_KNOWN;
    return new WrittenBatch(
        events.stream().limit(MAX_KNOWN).map(event -> written(event, mayLook)).toList(),
        more,
        more && mayLook ? commits.writtenMore() : null);
  }

  private Written written(EventEnvelope event, boolean mayLook) {
    EventKey key = EventKey.of(event);
    return new Written(
        key,
        EventRoute.of(event),
        event.isDelayed() ? event.availableAt() : null,
        mayLook ? commits.written(key, event) : null);
  }

  private final class WrittenBatch implements Batch {
    private final List<Written> events;
    private final boolean more;
    private final Look others; // of those that are not known; null if there is none

    private WrittenBatch(List<Written> events, boolean more, Look others) {
      this.events = events;
      this.more = more;
      this.others = others;
    }

    @Override
    public void committed() {
      events.forEach(commits::committed);
      if (more) {
        commits.committedMore();
        commits.ended(others);
      }
    }

    @Override
    public void rolledBack() {
      events.forEach(event -> commits.ended(event.look()));
      commits.ended(others);
    }
  }
}
