package io.outbox.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.EventEnvelope;
import io.outbox.model.EventKey;
import io.outbox.model.EventRoute;
import io.outbox.model.OutboxEvent;
import io.outbox.spi.PollCursor;
import io.outbox.spi.lanes.DueEvent;
import io.outbox.spi.lanes.DuePage;
import io.outbox.spi.lanes.KeyPage;
import io.outbox.spi.lanes.KeyQuery;
import io.outbox.spi.lanes.Lane;
import io.outbox.spi.lanes.LaneGrant;
import io.outbox.spi.lanes.LaneReturn;
import io.outbox.spi.lanes.LaneStore;
import io.outbox.spi.lanes.LaneView;
import io.outbox.spi.lanes.SinglesPage;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;

/** What the tests of a {@link LaneStore} need from its subclass, and have in common. */
abstract class LaneFixture extends StoreFixture {

  static final Duration LONG = Duration.ofHours(1);
  static final Duration SHORT = Duration.ofMillis(1);
  static final Set<Integer> ALL_LANES =
      IntStream.range(0, EventKey.LANES).boxed().collect(Collectors.toSet());

  /** Leaves no lane owned, no node alive and no key blocked; called before each test. */
  protected abstract void resetLanes() throws SQLException;

  /** Returns when it is later than {@code time} by the clock of the store. */
  protected void awaitTimeAfter(Instant time) throws SQLException {
    while (!now().isAfter(time)) {
      Thread.onSpinWait();
    }
  }

  @BeforeEach
  final void startWithoutOwners() throws SQLException {
    resetLanes();
  }

  final LaneStore lanes() {
    return store().lanes().orElseThrow();
  }

  final LaneView beat(String node, Duration lease) throws SQLException {
    return inTransaction(c -> lanes().beat(c, node, lease));
  }

  final LaneGrant take(String node, Duration lease, int max) throws SQLException {
    return inTransaction(c -> lanes().take(c, node, lease, max));
  }

  /** Takes lanes for so short that the lease has ended. */
  final LaneGrant takeForAMoment(String node, int max) throws SQLException {
    LaneGrant grant = take(node, SHORT, max);
    awaitTimeAfter(time(grant.stamp()));
    return grant;
  }

  final void release(String node, long stamp, Collection<Lane> given) throws SQLException {
    inTransaction(
        c -> {
          lanes().release(c, node, given.stream().map(l -> new LaneReturn(l, stamp)).toList());
          return null;
        });
  }

  final Set<Lane> lock(String node, Collection<Lane> owned) throws SQLException {
    return inTransaction(c -> lanes().lock(c, node, owned));
  }

  static Instant time(long stamp) {
    return Instant.EPOCH.plus(stamp, ChronoUnit.MICROS);
  }

  static List<Integer> numbers(LaneGrant grant) {
    return grant.lanes().stream().map(Lane::number).toList();
  }

  static EventEnvelope keyed(String key) {
    return event().orderingKey(key).build();
  }

  /** Inserts {@code perKey} events of each key, one of each after the other. */
  final void insertKeys(int keys, int perKey) throws SQLException {
    List<EventEnvelope> events = new ArrayList<>();
    for (int n = 0; n < perKey; n++) {
      for (int key = 0; key < keys; key++) {
        events.add(keyed("key-" + key));
      }
    }
    insert(events);
  }

  static KeyQuery query(int maxKeys, int perKey, int maxRows) {
    return new KeyQuery(T0, maxKeys, perKey, maxRows, 1 << 30);
  }

  final KeyPage scan(EventKey after, KeyQuery query) throws SQLException {
    return scan(ALL_LANES, after, query);
  }

  final KeyPage scan(Set<Integer> of, EventKey after, KeyQuery query) throws SQLException {
    return inTransaction(c -> lanes().scan(c, of, after, query));
  }

  /** All pages of a scan through all lanes. */
  final List<KeyPage> scanThrough(KeyQuery query) throws SQLException {
    List<KeyPage> pages = new ArrayList<>();
    KeyPage page = scan(null, query);
    pages.add(page);
    while (page.last().isPresent()) {
      page = scan(page.last().get(), query);
      pages.add(page);
    }
    return pages;
  }

  /** The keys of rows, each once for each stretch of rows. */
  static List<String> keys(List<OutboxEvent> rows) {
    List<String> keys = new ArrayList<>();
    for (OutboxEvent row : rows) {
      String key = row.key().name();
      if (keys.isEmpty() || !keys.get(keys.size() - 1).equals(key)) {
        keys.add(key);
      }
    }
    return keys;
  }

  final List<OutboxEvent> read(KeyQuery query, String... keys) throws SQLException {
    return readPage(query, keys).rows();
  }

  final KeyPage readPage(KeyQuery query, String... keys) throws SQLException {
    Map<EventKey, Long> named = new LinkedHashMap<>();
    Arrays.stream(keys).map(EventKey::named).forEach(key -> named.put(key, 0L));
    return inTransaction(c -> lanes().read(c, named, query));
  }

  final boolean hasSingles() throws SQLException {
    boolean has =
        inTransaction(c -> lanes().singles(c, ALL_LANES, null, query(1, 1, 1))).isPresent();
    if (!has) {
      Optional<SinglesPage> more =
          inTransaction(c -> lanes().singles(c, ALL_LANES, null, query(100, 1, 100)));
      assertThat(more).isEmpty();
      assertThat(scan(null, query(100, 1, 100)).rows()).isNotEmpty();
    }
    return has;
  }

  final SinglesPage singles(Set<Integer> of, PollCursor after, KeyQuery query) throws SQLException {
    return inTransaction(c -> lanes().singles(c, of, after, query)).orElseThrow();
  }

  final List<DueEvent> due(
      Set<Integer> of, Instant after, Instant until, List<EventRoute> without, int limit)
      throws SQLException {
    return duePage(of, PollCursor.behind(after), until, without, limit).events();
  }

  final DuePage duePage(
      Set<Integer> of, PollCursor after, Instant until, List<EventRoute> without, int limit)
      throws SQLException {
    return inTransaction(c -> lanes().due(c, of, after, until, without, limit));
  }
}
