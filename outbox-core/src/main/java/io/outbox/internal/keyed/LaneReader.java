package io.outbox.internal.keyed;

import io.outbox.EventEnvelope;
import io.outbox.internal.member.HaltedRoutes;
import io.outbox.internal.store.StoreFailures;
import io.outbox.internal.store.StoreSession;
import io.outbox.internal.time.EngineClock;
import io.outbox.model.EventKey;
import io.outbox.model.EventRoute;
import io.outbox.model.OutboxEvent;
import io.outbox.spi.PollCursor;
import io.outbox.spi.lanes.DuePage;
import io.outbox.spi.lanes.KeyHead;
import io.outbox.spi.lanes.KeyPage;
import io.outbox.spi.lanes.KeyQuery;
import io.outbox.spi.lanes.LaneStore;
import io.outbox.spi.lanes.SinglesPage;
import io.outbox.util.PrintableLogger;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** What is asked of the table for {@link KeyFeeder}. For its thread. */
public final class LaneReader {

  private static final Logger LOG = PrintableLogger.of(LaneReader.class);

  private static final long MAX_BYTES = 16L * 1024 * 1024;
  private static final Duration LATE = Duration.ofSeconds(10);

  /** To look at halted events again and again is not worth much. */
  private static final Duration A_LITTLE_LATE = Duration.ofSeconds(1);

  private final StoreSession session;
  private final LaneStore store;
  private final EngineClock clock;
  private final HaltedRoutes halted;
  private final int maxRows;
  private final FreshEvents fresh;
  private final Map<OutboxEvent, EventEnvelope> inMemory = new IdentityHashMap<>(); // last read
  private boolean knowsHeads = true; // until the store says that it does not
  private Instant askedAt = Instant.MAX; // nothing was asked

  /**
   * @param maxRows how many rows one statement may return
   * @param fresh events whose rows need not be read, if they are alone
   */
  public LaneReader(
      StoreSession session,
      LaneStore store,
      EngineClock clock,
      HaltedRoutes halted,
      int maxRows,
      FreshEvents fresh) {
    this.session = session;
    this.store = store;
    this.clock = clock;
    this.halted = halted;
    this.maxRows = maxRows;
    this.fresh = fresh;
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
    Map<EventKey, Long> unread = new LinkedHashMap<>(keys);
    List<OutboxEvent> rows = takeFresh(unread);
    if (unread.isEmpty()) {
      return new KeyPage(rows, keys.size(), Optional.empty());
    }
    int left = Math.max(1, room - rows.size());
    KeyPage page =
        inTransaction(conn -> store.read(conn, unread, query(unread.size(), perKey, left)));
    int visited = keys.size() - unread.size() + page.keys();
    rows.addAll(page.rows());
    return new KeyPage(rows, visited, page.last(), page.overtaken());
  }

  /** Takes out keys of which nothing has to be read; returns what is pending of them. */
  private List<OutboxEvent> takeFresh(Map<EventKey, Long> unread) {
    inMemory.clear();
    Map<EventKey, EventEnvelope> known = fresh.take(unread.keySet());
    Map<EventKey, KeyHead> heads = known.isEmpty() ? null : heads(known, unread);
    if (heads == null) {
      return new ArrayList<>();
    }
    known.forEach(
        (key, event) -> {
          KeyHead head = heads.get(key);
          if (head == null) {
            unread.remove(key); // it is in our hands, or done, or before what is
          } else if (head.alone()) {
            unread.remove(key);
            inMemory.put(row(event, head), event);
          }
        });
    return new ArrayList<>(inMemory.keySet());
  }

  /** Null if the store cannot tell. */
  private Map<EventKey, KeyHead> heads(
      Map<EventKey, EventEnvelope> known, Map<EventKey, Long> after) {
    if (!knowsHeads) {
      return null;
    }
    Map<EventKey, String> ids = new LinkedHashMap<>();
    known.forEach((key, event) -> ids.put(key, event.eventId()));
    Optional<Map<EventKey, KeyHead>> heads;
    try {
      heads =
          session.read(
              conn -> {
                clock.synchronize(session.store(), conn);
                askedAt = clock.now();
                return store.heads(conn, ids, after);
              });
    } catch (RuntimeException e) {
      if (StoreFailures.kindOf(e) != StoreFailures.Kind.REFUSED) {
        throw e;
      }
      LOG.log(Level.INFO, "events in memory are not asked for, because the database refuses it", e);
      heads = Optional.empty();
    }
    knowsHeads = heads.isPresent();
    return heads.orElse(null);
  }

  /** As it was inserted; what it carries is in the envelope. */
  private static OutboxEvent row(EventEnvelope event, KeyHead head) {
    return OutboxEvent.builder(event.eventId(), event.eventType())
        .aggregate(event.aggregateType(), event.aggregateId())
        .tenantId(event.tenantId())
        .orderingKey(event.orderingKey())
        .createdAt(event.occurredAt())
        .availableAt(head.availableAt())
        .leaseNumber(0)
        .seq(head.seq())
        .build();
  }

  /** What a row of the last {@link #read} carries; null if that has to be taken from the row. */
  EventEnvelope inMemory(OutboxEvent row) {
    return inMemory.get(row);
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
