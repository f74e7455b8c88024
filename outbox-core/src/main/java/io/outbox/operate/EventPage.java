package io.outbox.operate;

import java.util.List;
import java.util.Objects;

/**
 * Some of the events that match a filter, the newest first.
 *
 * @param next pass this to the next search for the next page; null if there are no more
 * @param scanned how many rows were looked at
 * @param scanLimited whether looking ended because of the limit of rows to look at: there may be
 *     more behind {@code next}, however few events this page has
 */
public record EventPage(List<EventSummary> events, String next, int scanned, boolean scanLimited) {

  public EventPage {
    events = List.copyOf(Objects.requireNonNull(events, "events"));
  }
}
