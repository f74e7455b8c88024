package io.outbox.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.EventEnvelope;
import io.outbox.model.EventKey;
import io.outbox.model.EventRoute;
import io.outbox.model.OutboxEvent;
import io.outbox.spi.lanes.KeyPage;
import io.outbox.spi.lanes.KeyQuery;
import io.outbox.spi.lanes.SinglesPage;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What a {@link io.outbox.spi.lanes.LaneStore} does with events of routes that are to be left out.
 */
abstract class LaneRoutesContract extends LaneOwnershipContract {

  private static EventEnvelope typed(String id, String key, String type) {
    return EventEnvelope.builder(type)
        .eventId(id)
        .aggregateType("Order")
        .orderingKey(key)
        .occurredAt(T0)
        .payloadJson("1")
        .build();
  }

  private static KeyQuery without(KeyQuery query, EventRoute... routes) {
    return new KeyQuery(
        query.now(),
        query.maxKeys(),
        query.perKey(),
        query.maxRows(),
        query.maxBytes(),
        List.of(routes));
  }

  static Stream<EventRoute> pausedRoutes() {
    return Stream.of(new EventRoute("Order", "P"), new EventRoute(null, "P"));
  }

  /** A store may return them all the same; none of ours does. */
  @ParameterizedTest
  @MethodSource("pausedRoutes")
  protected void anEventToBeLeftOutHoldsItsKey(EventRoute route) throws SQLException {
    insert(typed("first", "head", "P"));
    insert(typed("behind", "head", "T"));
    insert(typed("before", "tail", "T"));
    insert(typed("last", "tail", "P"));
    insert(typed("never", "tail", "T"));
    insert(typed("free", "free", "T"));
    insert(typed("alone", "alone", "P"));

    for (int perKey : new int[] {1, 2, 9}) {
      KeyQuery query = without(query(9, perKey, 99), route);
      KeyPage scanned = scan(null, query);
      assertThat(ids(scanned.rows())).containsExactlyInAnyOrder("before", "free");
      assertThat(scanned.keys()).isBetween(2, 4);
      assertThat(scanned.last()).isEmpty();
      assertThat(scanned.rows()).allMatch(row -> row.payloadJson().equals("1"));
      assertThat(ids(read(query, "head", "tail", "free", "alone")))
          .containsExactly("before", "free");
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 10})
  protected void keysToBeLeftOutArePassedPageByPage(int perKey) throws SQLException {
    List<EventEnvelope> events = new ArrayList<>();
    for (int i = 0; i < 60; i++) {
      events.add(typed("p" + i, "key-" + i, i % 10 == 7 ? "T" : "P"));
    }
    insert(events);
    KeyQuery query = without(query(7, perKey, 99), new EventRoute(null, "P"));
    List<KeyPage> pages = scanThrough(query);

    assertThat(pages.stream().flatMap(page -> page.rows().stream()).map(OutboxEvent::eventId))
        .containsExactlyInAnyOrder("p7", "p17", "p27", "p37", "p47", "p57");
    assertThat(pages.stream().mapToInt(KeyPage::keys).sum()).isBetween(6, 60);
    assertThat(pages)
        .allMatch(page -> page.rows().stream().map(OutboxEvent::key).distinct().count() <= 7);
  }

  @Test
  protected void dueEventsToBeLeftOutAreNotLookedAt() throws SQLException {
    for (int i = 0; i < 5; i++) {
      insert(typed("p" + i, "paused-" + i, "P"));
    }
    insert(typed("t", "free", "T"));
    Instant before = T0.minusSeconds(1);

    EventRoute paused = new EventRoute("Order", "P");
    assertThat(due(ALL_LANES, before, T0, List.of(paused), 2))
        .extracting(event -> event.key().name())
        .containsExactly("free");
    if (hasSingles()) {
      SinglesPage page = singles(ALL_LANES, null, without(query(9, 1, 2), paused));
      assertThat(ids(page.rows())).containsExactly("t");
      assertThat(page.last()).isEmpty();
    }
  }

  @Test
  protected void anEventBehindOneToBeLeftOutIsNotAlone() throws SQLException {
    insert(typed("first", "x", "P"));
    insert(typed("behind", "x", "T"));
    if (hasSingles()) {
      KeyQuery query = without(query(9, 1, 9), new EventRoute(null, "P"));
      assertThat(singles(ALL_LANES, null, query).rows()).isEmpty();
    }
  }

  /** In few lanes, so that many keys that are to be left out lie next to each other. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  protected void aScanFindsWhatIsBeforeTheFirstEventToBeLeftOut(int seed) throws SQLException {
    Random random = new Random(seed);
    List<String> keys =
        IntStream.range(0, 20_000)
            .mapToObj(i -> "key-" + i)
            .filter(key -> EventKey.named(key).lane() < 2)
            .limit(250)
            .toList();
    List<EventEnvelope> events = new ArrayList<>();
    List<String> expected = new ArrayList<>();
    int perKey = 1 + random.nextInt(5);
    for (String key : keys) {
      boolean mostlyPaused = random.nextInt(100) < 95;
      int found = 0;
      for (int i = 0; i < 1 + random.nextInt(3) * random.nextInt(20); i++) {
        boolean paused = random.nextInt(100) < (mostlyPaused ? 98 : 10);
        EventEnvelope event = typed(key + "/" + i, key, paused ? "P" : "T");
        events.add(event);
        found = paused ? perKey : found;
        if (found++ < perKey) {
          expected.add(event.eventId());
        }
      }
    }
    insert(events);

    for (int maxKeys : new int[] {5, 100}) {
      KeyQuery query = without(query(maxKeys, perKey, 50), new EventRoute(null, "P"));
      List<KeyPage> pages = scanThrough(query);
      assertThat(pages.stream().flatMap(page -> page.rows().stream()).map(OutboxEvent::eventId))
          .containsExactlyInAnyOrderElementsOf(expected);
    }
  }
}
