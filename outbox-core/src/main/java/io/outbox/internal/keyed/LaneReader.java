package io.outbox.internal.keyed;

import io.outbox.internal.member.HaltedRoutes;
import io.outbox.internal.store.StoreSession;
import io.outbox.internal.time.EngineClock;
import io.outbox.model.EventKey;
import io.outbox.model.EventRoute;
import io.outbox.model.OutboxEvent;
import io.outbox.spi.PollCursor;
import io.outbox.spi.lanes.DuePage;
import io.outbox.spi.lanes.KeyPage;
import io.outbox.spi.lanes.KeyQuery;
import io.outbox.spi.lanes.LaneStore;
import io.outbox.spi.lanes.SinglesPage;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** What is asked of the table for {@link KeyFeeder}. For its thread. */
public final class LaneReader {

  private static final long MAX_BYTES = 16L * 1024 * 1024;
  private static final Duration LATE = Duration.ofSeconds(10);

  /** To look at halted events again and again is not worth much. */
  private static final Duration A_LITTLE_LATE = Duration.ofSeconds(1);

  private final StoreSession session;
  private final LaneStore store;
  private final EngineClock clock;
  private final HaltedRoutes halted;
  private final int maxRows;
  private Instant askedAt = Instant.MAX; // nothing was asked

  /**
   * @param maxRows how many rows one statement may return
   */
  public LaneReader(
      StoreSession session, LaneStore store, EngineClock clock, HaltedRoutes halted, int maxRows) {
    this.session = session;
    this.store = store;
    this.clock = clock;
    this.halted = halted;
    this.maxRows = maxRows;
  }

  Instant now() {
    return clock.now();
  }

  /** Only operators replay events that block, so a store that they cannot use need not tell. */
  Optional<OutboxEvent> find(String eventId) {
    return session
        .store()
        .operator()
        .flatMap(operator -> session.read(conn -> operator.find(conn, eventId)));
  }

  void recordClaims(List<String> eventIds) {
    session.inTransaction(
        conn -> {
          store.recordClaims(conn, eventIds);
          return null;
        });
  }

  /** A little before this time, as an event is seen only after its commit. */
  PollCursor shortlyBefore(Instant time) {
    return PollCursor.behind(time.minus(halted.all().isEmpty() ? LATE : A_LITTLE_LATE));
  }

  /** Events that have become due behind a place; null for the beginning. */
  DuePage due(Set<Integer> lanes, PollCursor after, int limit) {
    List<EventRoute> without = halted.all();
    return inTransaction(conn -> store.due(conn, lanes, after, clock.now(), without, limit));
  }

  /** The first events of each key, from key to key. */
  KeyPage scan(Set<Integer> lanes, EventKey after, int keys, int perKey, int room) {
    return inTransaction(conn -> store.scan(conn, lanes, after, query(keys, perKey, room)));
  }

  /** The first event of each key, by time; empty if the store has no such way. */
  Optional<SinglesPage> singles(Set<Integer> lanes, PollCursor after, int keys, int room) {
    return inTransaction(conn -> store.singles(conn, lanes, after, query(keys, 1, room)));
  }

  /** The events of these keys behind a number each. */
  KeyPage read(Map<EventKey, Long> keys, int perKey, int room) {
    if (keys.isEmpty()) {
      return new KeyPage(List.of(), 0, Optional.empty());
    }
    return inTransaction(conn -> store.read(conn, keys, query(keys.size(), perKey, room)));
  }

  /** The time of the last query. Of a key whose first event was due later, only that event came. */
  Instant askedAt() {
    return askedAt;
  }

  private KeyQuery query(int keys, int perKey, int room) {
    askedAt = clock.now();
    return new KeyQuery(askedAt, keys, perKey, Math.min(maxRows, room), MAX_BYTES, halted.all());
  }

  private <T> T inTransaction(StoreSession.Work<T> work) {
    return session.lockingNothing(
        conn -> {
          clock.synchronize(session.store(), conn);
          return work.on(conn);
        });
  }
}
