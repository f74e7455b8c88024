package io.outbox.jdbc.internal.lanes;

import io.outbox.model.EventKey;
import io.outbox.model.EventRoute;
import io.outbox.spi.PollCursor;
import io.outbox.spi.lanes.KeyPage;
import io.outbox.spi.lanes.KeyQuery;
import io.outbox.spi.lanes.SinglesPage;
import java.sql.Connection;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Reads pending events by key, from an index by lane, key and seq. */
public interface KeyEvents {

  /** Goes on behind {@code after}, which may be null. */
  KeyPage scan(Connection conn, Set<Integer> lanes, EventKey after, KeyQuery query);

  /**
   * In the order of {@code keys}; the last that was visited has those behind it left out.
   *
   * @param after for each key the seq to begin behind
   */
  KeyPage read(Connection conn, List<EventKey> keys, Map<EventKey, Long> after, KeyQuery query);

  /** As {@link io.outbox.spi.lanes.LaneStore#withOthers}. */
  default Optional<Set<EventKey>> withOthers(Connection conn, Map<EventKey, String> eventIds) {
    return Optional.empty();
  }

  /** Empty if there is no way to them but a scan. */
  default Optional<SinglesPage> singles(
      Connection conn, Set<Integer> lanes, PollCursor after, KeyQuery query) {
    return Optional.empty();
  }

  /** Whatever their lanes; {@code after} may be null. */
  List<DueRow> due(
      Connection conn, PollCursor after, Instant until, List<EventRoute> without, int limit);
}
