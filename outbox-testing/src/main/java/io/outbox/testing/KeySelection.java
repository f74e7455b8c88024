package io.outbox.testing;

import io.outbox.model.EventKey;
import io.outbox.model.OutboxEvent;
import io.outbox.spi.lanes.KeyPage;
import io.outbox.spi.lanes.KeyQuery;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/** The first pending events of keys, within the limits of a query. */
final class KeySelection {

  private static final Comparator<EventKey> ORDER =
      Comparator.comparing(EventKey::lane).thenComparing(EventKey::name);

  private final KeyQuery query;
  private final TreeMap<EventKey, List<Row>> pending = new TreeMap<>(ORDER);

  KeySelection(Session session, KeyQuery query) {
    this.query = query;
    for (Row row : session.rows(Row::isPending)) {
      pending.computeIfAbsent(EventKey.of(row.envelope), key -> new ArrayList<>()).add(row);
    }
  }

  KeyPage scan(Set<Integer> lanes, EventKey after) {
    Map<EventKey, List<Row>> rest = after == null ? pending : pending.tailMap(after, false);
    return visit(
        rest.keySet().stream().filter(key -> lanes.contains(key.lane())).toList(), Map.of());
  }

  KeyPage read(Map<EventKey, Long> keys) {
    return visit(keys.keySet(), keys);
  }

  private KeyPage visit(Collection<EventKey> keys, Map<EventKey, Long> behind) {
    List<OutboxEvent> events = new ArrayList<>();
    int visited = 0;
    for (EventKey key : keys) {
      events.addAll(first(key, behind.getOrDefault(key, 0L), query.maxRows() - events.size()));
      visited++;
      boolean more = visited < keys.size();
      if ((more && visited == query.maxKeys()) || events.size() == query.maxRows()) {
        return new KeyPage(events, visited, Optional.of(key));
      }
    }
    return new KeyPage(events, visited, Optional.empty());
  }

  private List<OutboxEvent> first(EventKey key, long after, int atMost) {
    List<Row> rows =
        pending.getOrDefault(key, List.of()).stream()
            .filter(row -> row.seq > after)
            .sorted(Comparator.comparing(row -> row.seq))
            .takeWhile(row -> !PendingSelection.isIn(row, query.without()))
            .toList();
    boolean due = !rows.isEmpty() && !rows.get(0).availableAt.isAfter(query.now());
    return rows.stream()
        .limit(due ? Math.min(atMost, query.perKey()) : 1)
        .map(Row::toEvent)
        .toList();
  }
}
