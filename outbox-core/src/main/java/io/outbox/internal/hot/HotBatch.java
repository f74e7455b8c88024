package io.outbox.internal.hot;

import io.outbox.EventEnvelope;
import io.outbox.internal.BatchHook;
import java.util.Collection;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What is left of a batch until its transaction ends: the events that have a place in the hot
 * queue, and of the others how many they are and when they are due.
 */
public final class HotBatch implements BatchHook.Batch {

  private final HotHook hook;
  private final int delayed;
  private final Map<HotPath.HotOffer, Left> left = new EnumMap<>(HotPath.HotOffer.class);
  private final DueTimes dueTimes = new DueTimes();
  private List<EventEnvelope> hot;
  private boolean looked;

  /** Events without a place in the queue, for one reason. */
  private record Left(String first, int count) {
    Left and(Left other) {
      return new Left(first, count + other.count);
    }
  }

  /**
   * Creates a batch.
   *
   * @param hot those of {@code events} that have a place in the queue
   */
  public HotBatch(HotHook hook, List<EventEnvelope> events, List<EventEnvelope> hot) {
    this.hook = hook;
    this.hot = hot;
    Set<EventEnvelope> queued = Set.copyOf(hot);
    int delayedEvents = 0;
    for (EventEnvelope event : events) {
      if (event.isDelayed()) {
        dueTimes.add(event.availableAt());
        delayedEvents++;
      } else if (!queued.contains(event)) {
        left.merge(hook.leftOut(event), new Left(event.eventId(), 1), Left::and);
      }
    }
    this.delayed = delayedEvents;
  }

  @Override
  public Collection<String> idsInMemory() {
    return hot.stream().map(EventEnvelope::eventId).toList();
  }

  @Override
  public void found(Set<String> ids) {
    looked = true;
    List<EventEnvelope> gone =
        hot.stream().filter(event -> !ids.contains(event.eventId())).toList();
    if (!gone.isEmpty()) {
      hook.afterRollback(gone);
      hot = hot.stream().filter(event -> ids.contains(event.eventId())).toList();
    }
  }

  @Override
  public void committed() {
    hook.committed(hot, looked);
    if (delayed > 0) {
      hook.delayed(delayed, dueTimes);
    }
    left.forEach((why, events) -> hook.leftToThePoller(why, events.first(), events.count()));
  }

  @Override
  public void rolledBack() {
    hook.afterRollback(hot);
    hot = List.of();
  }
}
