package io.outbox.jdbc.internal.lanes;

import io.outbox.jdbc.internal.lanes.KeyEntries.Entry;
import io.outbox.model.EventKey;
import io.outbox.spi.lanes.KeyQuery;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The keys that were visited so far, and the events of theirs to read, within a query's limits. */
final class KeyVisits {

  private final KeyQuery query;
  private final List<String> eventIds = new ArrayList<>();
  private final Map<String, EventKey> before = new HashMap<>(); // before others of the same key
  private int keys;
  private EventKey last;

  KeyVisits(KeyQuery query) {
    this.query = query;
  }

  boolean isFull() {
    return keys == query.maxKeys() || eventIds.size() == query.maxRows();
  }

  /** How many entries of the next key are of interest. */
  int perKey() {
    return Math.min(query.perKey(), left());
  }

  /** How many entries of the next keys are of interest, about {@code atMost}. */
  int stretch(int atMost) {
    return Math.max(perKey(), Math.min(left(), atMost));
  }

  int left() {
    return query.maxRows() - eventIds.size();
  }

  /** Takes as many of the entries of a key as may be read; there may be none. */
  void visit(EventKey key, List<Entry> entries) {
    boolean due = !entries.isEmpty() && !entries.get(0).availableAt().isAfter(query.now());
    List<String> taken =
        entries.stream()
            .limit(due ? perKey() : 1)
            .takeWhile(entry -> query.without().stream().noneMatch(entry::isOf))
            .map(Entry::eventId)
            .toList();
    eventIds.addAll(taken);
    if (!due || taken.size() == query.perKey()) {
      taken.forEach(id -> before.put(id, key));
    }
    keys++;
    last = key;
  }

  int keys() {
    return keys;
  }

  Optional<EventKey> last() {
    return Optional.ofNullable(last);
  }

  /** The key of an event that may have others behind it that were not visited; null if none has. */
  EventKey withMoreBehind(String eventId) {
    return before.get(eventId);
  }

  List<String> eventIds() {
    return eventIds;
  }
}
