package io.outbox.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.EventEnvelope;
import io.outbox.model.EventKey;
import io.outbox.model.EventStatus;
import io.outbox.model.OutboxEvent;
import io.outbox.spi.EventPurger;
import io.outbox.spi.NewEvent;
import io.outbox.spi.PollCursor;
import io.outbox.spi.lanes.DueEvent;
import io.outbox.spi.lanes.DuePage;
import io.outbox.spi.lanes.KeyBlock;
import io.outbox.spi.lanes.KeyPage;
import io.outbox.spi.lanes.KeyQuery;
import io.outbox.spi.lanes.SinglesPage;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What every {@link io.outbox.spi.lanes.LaneStore} must do. A subclass says how to reach the store
 * whose lanes they are.
 */
public abstract class LaneStoreContract extends LaneRoutesContract {

  protected LaneStoreContract() {}

  /** A purger of the same table. */
  protected abstract EventPurger purger();

  @ParameterizedTest(name = "{0} keys, {1} per key, {2} rows")
  @CsvSource({"7, 2, 1000", "1, 1, 1", "1000, 2, 3", "1000, 100, 1000", "5, 100, 7"})
  protected void aScanVisitsEveryKeyOnce(int maxKeys, int perKey, int maxRows) throws SQLException {
    insertKeys(40, 5);
    insert(events(10));
    List<KeyPage> pages = scanThrough(query(maxKeys, perKey, maxRows));

    List<OutboxEvent> rows = pages.stream().flatMap(page -> page.rows().stream()).toList();
    assertThat(keys(rows)).hasSize(50).doesNotHaveDuplicates();
    assertThat(pages.stream().mapToInt(KeyPage::keys).sum()).isEqualTo(50);
    for (KeyPage page : pages) {
      assertThat(page.rows()).hasSizeLessThanOrEqualTo(maxRows);
      assertThat(page.keys()).isLessThanOrEqualTo(maxKeys).isEqualTo(keys(page.rows()).size());
      page.last().ifPresent(last -> assertThat(last).isEqualTo(lastKey(page)));
    }
    for (String key : keys(rows)) {
      List<OutboxEvent> ofKey = rows.stream().filter(row -> row.key().name().equals(key)).toList();
      assertThat(ofKey).hasSizeLessThanOrEqualTo(perKey);
      assertThat(ofKey).isSortedAccordingTo(Comparator.comparing(OutboxEvent::seq));
    }
  }

  private static EventKey lastKey(KeyPage page) {
    return page.rows().get(page.rows().size() - 1).key();
  }

  @Test
  protected void aScanReturnsTheFirstEventsOfEachKey() throws SQLException {
    List<String> ids = insert(List.of(keyed("x"), keyed("y"), keyed("x"), keyed("x"), keyed("y")));

    KeyPage page = scan(null, query(10, 2, 10));
    assertThat(ids(rowsOf(page, "x"))).containsExactly(ids.get(0), ids.get(2));
    assertThat(ids(rowsOf(page, "y"))).containsExactly(ids.get(1), ids.get(4));
    assertThat(page.keys()).isEqualTo(2);
    assertThat(page.last()).isEmpty();
  }

  private static List<OutboxEvent> rowsOf(KeyPage page, String key) {
    return page.rows().stream().filter(row -> row.key().name().equals(key)).toList();
  }

  @Test
  protected void aScanThroughNothingEndsAtOnce() throws SQLException {
    KeyPage page = scan(null, query(10, 2, 10));

    assertThat(page.rows()).isEmpty();
    assertThat(page.keys()).isZero();
    assertThat(page.last()).isEmpty();
    assertThat(scan(Set.of(), null, query(10, 2, 10)).rows()).isEmpty();
  }

  @Test
  protected void aScanLooksAtItsLanesOnly() throws SQLException {
    insertKeys(100, 1);
    Set<Integer> some = Set.of(3, 17, 40, 63);
    KeyQuery query = query(3, 2, 100);

    List<OutboxEvent> rows = new ArrayList<>();
    Optional<EventKey> after = Optional.empty();
    do {
      EventKey last = after.orElse(null);
      KeyPage page = scan(some, last, query);
      rows.addAll(page.rows());
      after = page.last();
    } while (after.isPresent());

    List<String> expected =
        IntStream.range(0, 100)
            .mapToObj(i -> "key-" + i)
            .filter(key -> some.contains(EventKey.named(key).lane()))
            .toList();
    assertThat(expected).isNotEmpty();
    assertThat(keys(rows)).containsExactlyInAnyOrderElementsOf(expected);
  }

  @Test
  protected void aScanGoesOnBehindAKeyOfALaneThatIsNoLongerAskedFor() throws SQLException {
    insertKeys(100, 1);
    EventKey after = scan(null, query(50, 1, 100)).last().orElseThrow();
    List<String> expected = new ArrayList<>(keys(scan(after, query(100, 1, 100)).rows()));
    expected.removeIf(key -> EventKey.named(key).lane() == after.lane());
    Set<Integer> others = new HashSet<>(ALL_LANES);
    others.remove(after.lane());

    KeyPage page = scan(others, after, query(100, 1, 100));
    assertThat(keys(page.rows())).isEqualTo(expected);
  }

  @Test
  protected void onlyPendingEventsAreRead() throws SQLException {
    List<String> ids = insert(List.of(keyed("x"), keyed("x"), keyed("x"), keyed("x"), keyed("x")));
    store().markDone(conn, ids.get(0));
    store().markDead(conn, ids.get(1), "given up");
    store().markRetry(conn, ids.get(2), T0, "failed");

    assertThat(ids(scan(null, query(10, 2, 10)).rows())).containsExactly(ids.get(2), ids.get(3));
    for (String id : ids) {
      store().markDone(conn, id);
    }
    assertThat(scan(null, query(10, 2, 10)).rows()).isEmpty();
  }

  @Test
  protected void aKeyWhoseFirstEventIsNotDueHasItsOthersWait() throws SQLException {
    List<String> ids = insert(List.of(keyed("x"), keyed("x"), keyed("y"), keyed("y")));
    store().markRetry(conn, ids.get(0), T0.plusSeconds(1), "failed");
    store().markRetry(conn, ids.get(3), T0.plusSeconds(1), "failed");

    KeyPage page = scan(null, query(10, 5, 10));
    assertThat(ids(rowsOf(page, "x"))).containsExactly(ids.get(0));
    assertThat(ids(rowsOf(page, "y"))).containsExactly(ids.get(2), ids.get(3));
    assertThat(ids(read(query(10, 5, 10), "x"))).containsExactly(ids.get(0));
  }

  @Test
  protected void eventsAreReadBehindANumber() throws SQLException {
    List<String> ids = insert(List.of(keyed("x"), keyed("y"), keyed("x"), keyed("x")));
    long first = read(query(10, 10, 10), "x").get(0).seq();

    KeyPage page =
        inTransaction(c -> lanes().read(c, Map.of(EventKey.named("x"), first), query(10, 10, 10)));
    assertThat(ids(page.rows())).containsExactly(ids.get(2), ids.get(3));
  }

  /** For stores that can tell. */
  @Test
  protected void R3_anEventIsAloneIfNothingElseOfItsKeyIsPendingAndNothingHappenedToIt()
      throws SQLException {
    List<EventEnvelope> events = new ArrayList<>();
    for (String key : List.of("one", "two", "two", "tried", "claimed", "replaced", "done")) {
      events.add(keyed(key));
    }
    List<String> ids = insert(events);
    store().markDone(conn, ids.get(6));
    Map<EventKey, String> asked = new LinkedHashMap<>();
    IntStream.range(0, ids.size()).forEach(i -> asked.put(EventKey.of(events.get(i)), ids.get(i)));
    asked.put(EventKey.named("not committed"), "not there");
    Optional<Set<EventKey>> first = withOthers(asked);
    if (first.isEmpty()) {
      return;
    }
    assertThat(first.get()).containsOnly(EventKey.named("two"));

    store().markRetry(conn, ids.get(3), T0, "failed");
    inTransaction(
        c -> {
          lanes().recordClaims(c, List.of(ids.get(4)));
          return null;
        });
    asked.put(EventKey.named("replaced"), "another");
    assertThat(withOthers(asked).orElseThrow())
        .containsOnly(
            Stream.of("two", "tried", "claimed", "replaced")
                .map(EventKey::named)
                .toArray(EventKey[]::new));

    store().markDone(conn, ids.get(1));
    assertThat(withOthers(asked).orElseThrow()).doesNotContain(EventKey.named("two"));
  }

  private Optional<Set<EventKey>> withOthers(Map<EventKey, String> asked) throws SQLException {
    return inTransaction(c -> lanes().withOthers(c, asked));
  }

  @Test
  protected void theFirstEventsOfGivenKeysAreReadInTheOrderGiven() throws SQLException {
    insertKeys(5, 3);
    KeyPage page = readPage(query(10, 2, 100), "key-4", "nowhere", "key-1", "key-3");

    assertThat(keys(page.rows())).containsExactly("key-4", "key-1", "key-3");
    assertThat(page.rows()).hasSize(6);
    assertThat(page.keys()).isEqualTo(4);
    assertThat(page.last()).isEmpty();
    assertThat(readPage(query(2, 2, 100), "key-4", "nowhere").last()).as("all were read").isEmpty();
    assertThat(readPage(query(10, 2, 100), "nowhere").rows()).isEmpty();
    assertThat(readPage(query(10, 2, 100)).rows()).isEmpty();
  }

  @Test
  protected void readingGivenKeysKeepsToTheLimits() throws SQLException {
    insertKeys(5, 3);
    KeyPage rows = readPage(query(10, 2, 3), "key-4", "nowhere", "key-1", "key-3");
    KeyPage keys = readPage(query(2, 2, 100), "key-4", "nowhere", "key-1", "key-3");

    assertThat(rows.rows()).hasSize(3);
    assertThat(rows.keys()).isEqualTo(3);
    assertThat(rows.last()).contains(EventKey.named("key-1"));
    assertThat(keys(keys.rows())).containsExactly("key-4");
    assertThat(keys.keys()).isEqualTo(2);
    assertThat(keys.last()).contains(EventKey.named("nowhere"));
  }

  @Test
  protected void manyKeysAreReadAtOnce() throws SQLException {
    insertKeys(150, 2);
    String[] keys = IntStream.range(0, 150).mapToObj(i -> "key-" + i).toArray(String[]::new);

    assertThat(read(query(1000, 2, 1000), keys)).hasSize(300);
  }

  /** The library and the database must compute the same key. */
  @Test
  protected void oddKeysAreFound() throws SQLException {
    List<String> odd =
        List.of(
            "",
            " ",
            "a",
            "A",
            "a ",
            " a",
            "ä",
            "Straße",
            "ключ",
            "鍵",
            "🔑",
            "\u00e9",
            "e\u0301",
            "it's",
            "\"",
            "\\",
            "%",
            "_",
            "a\tb",
            "a\nb",
            "x".repeat(255),
            "🔑".repeat(127));
    List<EventEnvelope> events = new ArrayList<>();
    odd.forEach(key -> events.add(keyed(key)));
    insert(events);

    List<OutboxEvent> rows =
        scanThrough(query(3, 2, 100)).stream().flatMap(page -> page.rows().stream()).toList();
    assertThat(keys(rows)).containsExactlyInAnyOrderElementsOf(odd);
    for (String key : odd) {
      Set<Integer> lane = Set.of(EventKey.named(key).lane());
      KeyPage page = scan(lane, null, query(100, 2, 100));
      assertThat(keys(page.rows())).contains(key);
      assertThat(keys(read(query(1, 1, 1), key))).containsExactly(key);
    }
  }

  @Test
  protected void anEventWithoutAnOrderingKeyHasItsAggregateOrItselfForAKey() throws SQLException {
    String aggregate =
        insert(event().aggregateType("Order").aggregateId("1").eventId("one").build());
    String untyped = insert(event().aggregateId("2").eventId("two").build());
    String none = insert(event().aggregateType("Order").eventId("three").build());

    assertThat(ids(read(query(9, 9, 9), "Order:1"))).containsExactly(aggregate);
    assertThat(ids(read(query(9, 9, 9), "__GLOBAL__:2"))).containsExactly(untyped);
    assertThat(ids(read(query(9, 9, 9), "three"))).containsExactly(none);
    assertThat(keys(scan(null, query(9, 9, 9)).rows()))
        .containsExactlyInAnyOrder("Order:1", "__GLOBAL__:2", "three");
  }

  @Test
  protected void dueEventsThatAreAloneAreFoundByTime() throws SQLException {
    String last = insert(keyedAt("x", T0));
    insert(List.of(keyedAt("y", T0.minusSeconds(2)), keyedAt("y", T0.minusSeconds(2))));
    String first = insert(keyedAt("z", T0.minusSeconds(3)));
    insert(List.of(keyedAt("w", T0.minusSeconds(1)), keyedAt("w", T0.plusSeconds(1))));
    insert(keyedAt("later", T0.plusSeconds(1)));
    store().markDone(conn, insert(keyedAt("x", T0)));

    if (!hasSingles()) {
      return;
    }
    SinglesPage all = singles(ALL_LANES, null, query(10, 1, 10));
    assertThat(ids(all.rows())).containsExactly(first, last);
    assertThat(all.owned()).isEqualTo(5);
    assertThat(all.last()).isEmpty();
    assertThat(all.rows().get(0).payloadJson()).isEqualTo("{}");
    SinglesPage one = singles(Set.of(EventKey.named("z").lane()), null, query(10, 1, 10));
    assertThat(ids(one.rows())).contains(first);
    assertThat(singles(Set.of(), null, query(10, 1, 10)).rows()).isEmpty();
  }

  @Test
  protected void eventsThatAreAloneAreFoundPageByPage() throws SQLException {
    List<EventEnvelope> events = new ArrayList<>();
    for (int i = 0; i < 30; i++) {
      events.add(keyedAt("key-" + (i % 3 == 0 ? "same" : i), T0.minusSeconds(i / 4)));
    }
    insert(events);
    if (!hasSingles()) {
      return;
    }

    List<String> found = new ArrayList<>();
    Optional<PollCursor> after = Optional.empty();
    do {
      SinglesPage page = singles(ALL_LANES, after.orElse(null), query(100, 1, 7));
      assertThat(page.owned()).isLessThanOrEqualTo(7);
      found.addAll(ids(page.rows()));
      after = page.last();
    } while (after.isPresent());
    assertThat(found).hasSize(20).doesNotHaveDuplicates();
  }

  /** A store that finds them by scans only must do so always. */
  private static EventEnvelope keyedAt(String key, Instant at) {
    return event().orderingKey(key).occurredAt(at).build();
  }

  @Test
  protected void eventsAreFoundWhenTheyBecomeDue() throws SQLException {
    List<String> ids =
        insert(
            List.of(keyed("x"), keyed("y"), keyed("y"), keyed("z"), keyed("early"), keyed("late")));
    int[] seconds = {3, 1, 2, 2, 0, 4};
    for (int i = 0; i < seconds.length; i++) {
      store().markRetry(conn, ids.get(i), T0.plusSeconds(seconds[i]), "failed");
    }

    assertThat(due(ALL_LANES, T0, T0.plusSeconds(3), 10))
        .containsExactly(
            new DueEvent(EventKey.named("y"), ids.get(1), T0.plusSeconds(1)),
            new DueEvent(EventKey.named("y"), ids.get(2), T0.plusSeconds(2)),
            new DueEvent(EventKey.named("z"), ids.get(3), T0.plusSeconds(2)),
            new DueEvent(EventKey.named("x"), ids.get(0), T0.plusSeconds(3)));
    assertThat(due(ALL_LANES, T0, T0.plusSeconds(3), 2))
        .extracting(DueEvent::eventId)
        .containsExactly(ids.get(1), ids.get(2));
    assertThat(due(ALL_LANES, T0.plusSeconds(4), T0.plusSeconds(9), 10)).isEmpty();
    assertThat(due(Set.of(EventKey.named("z").lane()), T0, T0.plusSeconds(3), 10))
        .extracting(DueEvent::eventId)
        .contains(ids.get(3));
    assertThat(due(Set.of(), T0, T0.plusSeconds(3), 10)).isEmpty();
  }

  /** Many were written in one transaction, or deferred to the same time. */
  @Test
  protected void eventsThatAreDueAtTheSameTimeAreFoundPageByPage() throws SQLException {
    List<EventEnvelope> events = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      events.add(keyedAt("key-" + i, T0.plusSeconds(i / 8)));
    }
    List<String> ids = insert(events);
    EventKey one = EventKey.named("key-11");

    List<String> found = new ArrayList<>();
    List<String> ofOneLane = new ArrayList<>();
    Optional<PollCursor> after = Optional.empty();
    do {
      PollCursor from = after.orElse(null);
      DuePage page = duePage(ALL_LANES, from, T0.plusSeconds(2), List.of(), 7);
      DuePage lane = duePage(Set.of(one.lane()), from, T0.plusSeconds(2), List.of(), 7);
      page.events().forEach(event -> found.add(event.eventId()));
      lane.events().forEach(event -> ofOneLane.add(event.eventId()));
      assertThat(lane.last()).isEqualTo(page.last());
      after = page.last();
    } while (after.isPresent());

    assertThat(found).containsExactlyElementsOf(ids);
    assertThat(ofOneLane).contains(ids.get(11)).hasSizeLessThan(20);
  }

  /** One row and many go different ways; a delayed event beside them keeps its time. */
  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  protected void R20_aLateEventIsFoundWhenItIsInserted(int count) throws SQLException {
    Instant later = now().plus(Duration.ofDays(1)).truncatedTo(ChronoUnit.MICROS);
    List<NewEvent> events = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      EventEnvelope late = keyedAt("late-" + i, T0);
      events.add(new NewEvent(late, null, true));
    }
    if (count > 1) {
      events.add(NewEvent.unleased(keyedAt("not marked", T0)));
      events.add(new NewEvent(event().availableAt(later).build(), null, true));
    }
    Instant before = now();
    inTransaction(
        c -> {
          store().insertAll(c, events);
          return null;
        });

    assertThat(due(ALL_LANES, before.minusSeconds(1), now().plusSeconds(1), 10)).hasSize(count);
    for (NewEvent event : events) {
      OutboxEvent row = row(event.envelope().eventId());
      EventEnvelope read = EventEnvelope.fromRow(row);
      assertThat(read.availableAt()).isEqualTo(event.envelope().availableAt());
      assertThat(row.createdAt()).isEqualTo(T0);
    }
    assertThat(events.get(0).envelope().isDelayed()).isFalse();
  }

  private List<DueEvent> due(Set<Integer> of, Instant after, Instant until, int limit)
      throws SQLException {
    return due(of, after, until, List.of(), limit);
  }

  @Test
  protected void claimsOfPendingEventsAreCounted() throws SQLException {
    String pending = insert(keyed("x"));
    String done = insertIn(EventStatus.DONE);
    for (int i = 0; i < 2; i++) {
      inTransaction(
          c -> {
            lanes().recordClaims(c, List.of(pending, done, "nowhere", pending));
            return null;
          });
    }

    assertThat(row(pending).claims()).isEqualTo(2);
    assertThat(row(pending).lease()).isNull();
    assertThat(row(done).claims()).isZero();
  }

  private static KeyBlock blocked(String key, int second) {
    return new KeyBlock(
        EventKey.named(key), "event of " + key, T0.plusSeconds(second), "because of " + key);
  }

  private void block(KeyBlock... blocks) throws SQLException {
    inTransaction(
        c -> {
          lanes().block(c, List.of(blocks));
          return null;
        });
  }

  private List<KeyBlock> blocks(int limit) throws SQLException {
    return blocks(ALL_LANES, limit);
  }

  private List<KeyBlock> blocks(Set<Integer> of, int limit) throws SQLException {
    return inTransaction(c -> lanes().blocks(c, of, limit));
  }

  private int unblock(String... keys) throws SQLException {
    List<EventKey> named = Arrays.stream(keys).map(EventKey::named).toList();
    return inTransaction(c -> lanes().unblock(c, named));
  }

  @Test
  protected void aKeyStaysBlockedAsItWasFirst() throws SQLException {
    KeyBlock unexplained = new KeyBlock(EventKey.named("z"), "id", T0.plusSeconds(9), null);
    block(blocked("x", 2), blocked("y", 1), unexplained);
    block(new KeyBlock(EventKey.named("x"), "other", T0, null));

    assertThat(blocks(10)).containsExactly(blocked("y", 1), blocked("x", 2), unexplained);
    assertThat(blocks(1)).containsExactly(blocked("y", 1));
    Set<Integer> lane = Set.of(EventKey.named("x").lane());
    assertThat(blocks(lane, 10)).contains(blocked("x", 2));
    assertThat(blocks(Set.of(), 10)).isEmpty();
  }

  @Test
  protected void aBlockIsLiftedOnce() throws SQLException {
    block(blocked("x", 1), blocked("x ", 2), blocked("X", 3), blocked("y", 4));

    assertThat(unblock("x", "y", "z")).isEqualTo(2);
    assertThat(unblock("x", "y", "z")).isZero();
    assertThat(blocks(10)).containsExactly(blocked("x ", 2), blocked("X", 3));
  }

  @Test
  protected void aBlockSurvivesThePurgeOfItsEvent() throws SQLException {
    String id = insert(keyed("x"));
    store().markDead(conn, id, "given up");
    KeyBlock block = new KeyBlock(EventKey.named("x"), id, T0, "given up");
    block(block);

    int purged = inTransaction(c -> purger().purge(c, now().plus(Duration.ofDays(1)), 10));
    assertThat(purged).isOne();
    assertThat(findEvent(conn, id)).isEmpty();
    assertThat(blocks(10)).containsExactly(block);
  }
}
