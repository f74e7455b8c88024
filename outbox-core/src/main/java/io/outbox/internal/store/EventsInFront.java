package io.outbox.internal.store;

import io.outbox.model.EventKey;
import io.outbox.model.OutboxEvent;
import io.outbox.operate.EventSummary;
import io.outbox.spi.DeliveryMode;
import io.outbox.spi.Member;
import io.outbox.spi.OutboxStore;
import io.outbox.spi.PendingQuery;
import io.outbox.spi.lanes.KeyQuery;
import io.outbox.spi.lanes.LaneStore;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Which event comes next before others, where events are delivered in order. */
public final class EventsInFront {

  /** Rows come with their payloads. */
  private static final int KEYS_AT_ONCE = 16;

  private static final int MAX_KEYS = 200;

  private final OutboxStore store;
  private final List<String> modes;

  /**
   * @param members which tell how events are delivered
   */
  public EventsInFront(OutboxStore store, List<Member> members) {
    this.store = store;
    this.modes = members.stream().filter(Member::delivers).map(Member::mode).toList();
  }

  /** By the ids of these events the next of the table, or of their key, which may be themselves. */
  public Map<String, EventSummary> of(
      Connection conn, Collection<EventSummary> events, Instant now) {
    List<EventSummary> pending =
        events.stream().filter(event -> event.status().isPending()).toList();
    if (pending.isEmpty()) {
      return Map.of();
    }
    if (modes.contains(DeliveryMode.ORDERED_BY_KEY.name())) {
      return store.lanes().map(lanes -> ofKeys(conn, lanes, pending, now)).orElse(Map.of());
    }
    return modes.contains(DeliveryMode.ORDERED.name()) ? ofAll(conn, pending, now) : Map.of();
  }

  private Map<String, EventSummary> ofAll(
      Connection conn, List<EventSummary> pending, Instant now) {
    PendingQuery first = new PendingQuery(now, Duration.ZERO, 1, Instant.EPOCH, null, null);
    Optional<EventSummary> front =
        store.fetchPending(conn, first).events().stream().map(EventSummary::of).findFirst();
    return front.isEmpty()
        ? Map.of()
        : pending.stream()
            .collect(Collectors.toMap(EventSummary::eventId, event -> front.get(), (a, b) -> a));
  }

  private static Map<String, EventSummary> ofKeys(
      Connection conn, LaneStore lanes, List<EventSummary> pending, Instant now) {
    Map<EventKey, EventSummary> fronts = new HashMap<>();
    List<EventKey> keys =
        pending.stream().map(EventSummary::key).distinct().limit(MAX_KEYS).toList();
    for (int from = 0; from < keys.size(); from += KEYS_AT_ONCE) {
      List<EventKey> some = keys.subList(from, Math.min(from + KEYS_AT_ONCE, keys.size()));
      for (OutboxEvent event : first(conn, lanes, some, now)) {
        fronts.put(event.key(), EventSummary.of(event));
      }
    }
    Map<String, EventSummary> inFront = new HashMap<>();
    for (EventSummary event : pending) {
      EventSummary front = fronts.get(event.key());
      if (front != null) {
        inFront.put(event.eventId(), front);
      }
    }
    return inFront;
  }

  private static List<OutboxEvent> first(
      Connection conn, LaneStore lanes, List<EventKey> keys, Instant now) {
    Map<EventKey, Long> fromTheBeginning =
        keys.stream().collect(Collectors.toMap(Function.identity(), key -> 0L));
    KeyQuery query = new KeyQuery(now, keys.size(), 1, keys.size(), Long.MAX_VALUE);
    return lanes.read(conn, fromTheBeginning, query).rows();
  }
}
