package io.outbox.jdbc.operate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.outbox.jdbc.store.Target;
import io.outbox.model.EventKey;
import io.outbox.model.EventStatus;
import io.outbox.model.OutboxEvent;
import io.outbox.operate.ErrorGroup;
import io.outbox.operate.EventFilter;
import io.outbox.operate.EventPage;
import io.outbox.operate.EventSummary;
import io.outbox.operate.LifecycleState;
import io.outbox.operate.WaitReason;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What an operator finds. */
abstract class SearchContract extends OperatorContract {

  /** More are finished than a page by time takes at once. */
  private static final List<EventStatus> MANY =
      List.of(
          EventStatus.NEW,
          EventStatus.DONE,
          EventStatus.RETRY,
          EventStatus.DEAD,
          EventStatus.DONE,
          EventStatus.DONE,
          EventStatus.DEAD,
          EventStatus.DONE);

  SearchContract(Target target, boolean indexed) {
    super(target, indexed);
  }

  /** Some of everything, with instants that are shared, and in no order. */
  private List<String> insertMany(int count) throws SQLException {
    Random random = new Random(42);
    List<Row> rows = new ArrayList<>();
    List<String> ids = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      String id = "e" + random.nextInt(1000) + "-" + i;
      Instant at = T0.plusSeconds(random.nextInt(i % 8 < 4 ? 3 : 60));
      EventStatus status = MANY.get(i % MANY.size());
      Row row = new Row(id, status).created(at).available(at).type("Type" + i % 3);
      row.aggregate("Order", "a" + i % 5);
      if (i % 7 == 0) {
        row.set("ordering_key", "k" + i % 2);
      }
      if (!status.isPending()) {
        row.done(at.plusSeconds(random.nextInt(5)));
      } else if (i % 3 == 0) {
        row.leased("node", at.plusSeconds(random.nextInt(5)));
      }
      rows.add(row);
      ids.add(id);
    }
    insertAll(rows);
    return ids;
  }

  private static List<EventFilter> filters() {
    return List.of(
        EventFilter.ALL,
        EventFilter.of(EventStatus.NEW),
        EventFilter.of(EventStatus.RETRY),
        EventFilter.of(EventStatus.DONE),
        EventFilter.of(EventStatus.DEAD),
        EventFilter.builder().status(EventStatus.DONE, EventStatus.DEAD).build(),
        EventFilter.builder().status(EventStatus.RETRY, EventStatus.DEAD).build(),
        EventFilter.builder().status(EventStatus.NEW, EventStatus.DONE).build(),
        EventFilter.builder().state(LifecycleState.PENDING).build(),
        EventFilter.builder().state(LifecycleState.LEASED).build(),
        EventFilter.builder().leased(false).build(),
        EventFilter.builder().idPrefix("e1").build(),
        EventFilter.builder().eventType("Type1").build(),
        EventFilter.builder().status(EventStatus.DEAD).eventType("Type2").build(),
        EventFilter.builder().aggregateId("a3").build(),
        EventFilter.builder().aggregateId("a3").status(EventStatus.DONE).build(),
        EventFilter.builder().orderingKey("k1").build(),
        EventFilter.builder().orderingKey("k1").aggregateId("a2").build(),
        EventFilter.builder()
            .createdFrom(T0.plusSeconds(2))
            .createdUntil(T0.plusSeconds(9))
            .build());
  }

  /** The filter in Java. */
  private static boolean matches(EventFilter filter, EventSummary event) {
    boolean leased = event.status().isPending() && event.lockedBy() != null;
    return (filter.statuses().isEmpty() || filter.statuses().contains(event.status()))
        && filter.leased().map(wanted -> wanted == leased).orElse(true)
        && filter.idPrefix().map(event.eventId()::startsWith).orElse(true)
        && filter.eventType().map(event.eventType()::equals).orElse(true)
        && filter.aggregateId().map(event.aggregateId()::equals).orElse(true)
        && filter.orderingKey().map(key -> key.equals(event.orderingKey())).orElse(true)
        && filter.createdFrom().map(at -> !event.createdAt().isBefore(at)).orElse(true)
        && filter.createdUntil().map(event.createdAt()::isBefore).orElse(true);
  }

  @Test
  void pagesHaveEveryMatchingEventOnce() throws SQLException {
    assertThatPagesAreComplete(160, new int[][] {{7, SCAN}, {50, 11}});
  }

  @Test
  void theSmallestPagesHaveEveryMatchingEventOnce() throws SQLException {
    assertThatPagesAreComplete(24, new int[][] {{1, SCAN}, {2, 1}, {50, 3}});
  }

  /** Each size is how many events, and how many rows to look at. */
  private void assertThatPagesAreComplete(int count, int[][] sizes) throws SQLException {
    List<String> inserted = insertMany(count);
    List<EventSummary> events = with(conn -> operatorStore.summaries(conn, inserted));
    assertThat(events).hasSize(count);
    for (EventFilter filter : filters()) {
      List<String> expected =
          events.stream()
              .filter(event -> matches(filter, event))
              .map(EventSummary::eventId)
              .toList();
      assertThat(expected).as("events with %s", filter).isNotEmpty();
      List<String> atOnce = all(filter, 1000, SCAN);
      assertThat(atOnce).as("%s", filter).containsExactlyInAnyOrderElementsOf(expected);
      for (int[] size : sizes) {
        assertThat(all(filter, size[0], size[1]))
            .as("%s at a time, looking at %s: %s", size[0], size[1], filter)
            .isEqualTo(atOnce);
      }
    }
  }

  @Test
  void veryManyEventsOfOneInstantArePagedLikeOthers() throws SQLException {
    List<Row> rows = new ArrayList<>();
    for (int i = 0; i < 350; i++) {
      rows.add(done("done-" + (1000 + i)).type("Type" + i % 5));
      rows.add(retry("retry-" + (1000 + i)));
    }
    insertAll(rows);
    done("newer").done(T0.plusSeconds(1)).insert();
    done("older").done(T0.minusSeconds(1)).insert();
    EventFilter done = EventFilter.of(EventStatus.DONE);

    // With so small a scan limit they are too many to be sorted.
    List<String> paged = all(done, 20, 10);
    assertThat(paged).hasSize(352).doesNotHaveDuplicates().startsWith("newer").endsWith("older");
    assertThat(all(done, 1000, SCAN)).isEqualTo(paged);
    assertThat(all(done, 33, SCAN)).isEqualTo(paged);
    assertThat(all(EventFilter.of(EventStatus.RETRY), 9, 10)).hasSize(350).doesNotHaveDuplicates();
    assertThat(all(EventFilter.builder().eventType("Type3").build(), 9, 10)).hasSize(70);
    assertThat(all(EventFilter.ALL, 50, 10)).hasSize(702).doesNotHaveDuplicates();
  }

  @Test
  void theNewestComeFirst() throws SQLException {
    for (int i = 0; i < 3; i++) {
      fresh("new" + i).available(T0.plusSeconds(i)).insert();
      dead("dead" + i).created(T0.plusSeconds(i)).done(T0.plusSeconds(i)).insert();
      done("done" + i).done(T0.plusSeconds(i)).insert();
      fresh("leased" + i).leased("node", T0.plusSeconds(i)).insert();
    }
    for (EventStatus status : List.of(EventStatus.DEAD, EventStatus.DONE)) {
      String name = status.name().toLowerCase(Locale.ROOT);
      assertThat(ids(EventFilter.of(status))).containsExactly(name + 2, name + 1, name + 0);
    }
    assertThat(ids(EventFilter.builder().state(LifecycleState.PENDING).build()))
        .containsExactly("new2", "new1", "new0");
    assertThat(ids(EventFilter.builder().state(LifecycleState.LEASED).build()))
        .containsExactly("leased2", "leased1", "leased0");
    List<String> all = ids(EventFilter.ALL);
    if (indexed) {
      assertThat(all)
          .as("by creation, and those of an instant as they were inserted")
          .startsWith("dead2", "dead1", "leased2", "done2", "new2", "leased1", "done1", "new1")
          .endsWith("leased0", "done0", "dead0", "new0");
    } else {
      assertThat(all.subList(0, 4))
          .as("by what happened last")
          .containsExactlyInAnyOrder("new2", "dead2", "done2", "leased2");
    }
    assertThat(all).hasSize(12).doesNotHaveDuplicates();
  }

  private static List<EventFilter> helpedByIndexes() {
    return List.of(
        EventFilter.ALL,
        EventFilter.builder().aggregateId("a3").build(),
        EventFilter.builder().orderingKey("k1").build());
  }

  @Test
  void aSearchThatBeganWithoutOptionalIndexesGoesOnWithThem() throws SQLException {
    insertMany(60);
    setIndexes(false);
    List<EventPage> begun = new ArrayList<>();
    for (EventFilter filter : helpedByIndexes()) {
      begun.add(page(filter, null, 3, SCAN));
    }
    setIndexes(true);
    newStore();
    for (int i = 0; i < begun.size(); i++) {
      EventFilter filter = helpedByIndexes().get(i);
      List<String> ids = new ArrayList<>();
      begun.get(i).events().stream().map(EventSummary::eventId).forEach(ids::add);
      ids.addAll(all(filter, begun.get(i).next(), 7, SCAN));
      assertThat(ids).as("%s", filter).containsExactlyInAnyOrderElementsOf(ids(filter));
    }
    setIndexes(indexed);
  }

  @Test
  void aSearchDoesWithoutAnOptionalIndexThatIsGone() throws SQLException {
    insertMany(60);
    for (EventFilter filter : helpedByIndexes()) {
      setIndexes(true);
      newStore();
      List<String> found = ids(filter);
      setIndexes(false);
      assertThat(ids(filter)).as("%s", filter).containsExactlyInAnyOrderElementsOf(found);
    }
    setIndexes(indexed);
  }

  @Test
  void aListShowsARowWithoutItsPayload() throws SQLException {
    retry("a")
        .aggregate("Order", "17")
        .set("tenant_id", "acme")
        .set("ordering_key", "k")
        .set("attempts", 4)
        .error("e".repeat(1000))
        .leased("node", T0.plusSeconds(1))
        .set("replayed_at", target.product().parameter(T0.minusSeconds(1)))
        .insert();
    EventSummary event = page(EventFilter.ALL, null, 10, SCAN).events().get(0);

    assertThat(event).isEqualTo(EventSummary.of(find("a")));
    assertThat(event.lastError()).hasSize(EventSummary.ERROR_LENGTH);
    assertThat(event.lockedAt()).isEqualTo(T0.plusSeconds(1));
    assertThat(event.replayedAt()).isEqualTo(T0.minusSeconds(1));
  }

  @Test
  void whatAFilterSaysIsTakenAsItIsWritten() throws SQLException {
    dead("a%1").error("100% of _ failed\\n").insert();
    dead("a_1").error("Timeout!").insert();
    dead("ab1").error("100 of X").insert();

    assertThat(ids(error("100%"))).containsExactly("a%1");
    assertThat(ids(error("OF _ F"))).containsExactly("a%1");
    assertThat(ids(error("\\n"))).containsExactly("a%1");
    assertThat(ids(error("timeout!"))).containsExactly("a_1");
    assertThat(ids(error("100"))).containsExactlyInAnyOrder("a%1", "ab1");
    assertThat(ids(prefix("a_"))).containsExactly("a_1");
    assertThat(ids(prefix("a%"))).containsExactly("a%1");
    assertThat(ids(prefix("a"))).hasSize(3);
    assertThat(ids(prefix("a'; DROP TABLE outbox_event; --"))).isEmpty();
  }

  /** "Most frequent errors" opens the events that it has counted. */
  @Test
  void aGroupOfErrorsIsFoundByItsPattern() throws SQLException {
    String host = "db-%s.example.org (attempt %s): refused [x] a.b* $1 ^{2} 100%% #";
    dead("a").error("no route to " + host.formatted(1, 17)).insert();
    dead("b").error("no route to " + host.formatted(22, 3) + "\n  at some.Class").insert();
    dead("c").error("  no route to " + host.formatted(4, 4) + " \r\nmore").insert();
    dead("d").error("No route to " + host.formatted(4, 4)).insert();
    dead("e").error("no route to " + host.formatted(4, 4) + " at all").insert();
    dead("f").error("order 0f8fad5b-d9cb-469f-a165-70867728950e is unknown").insert();
    dead("g").error("order 42 is unknown").insert();
    dead("h").error("order deadbeef is unknown").insert();
    dead("i").error("order xdeadbeef is unknown").insert();
    dead("q").error("order 01M7N5GMVD6T079NXAK0PFYQM9 is unknown").insert();
    dead("j").error(null).insert();
    dead("k").error("").insert();
    dead("l").error("9".repeat(3) + "x".repeat(2000)).insert();
    dead("m").error(" \t\nCaused by: something").insert();
    dead("n").error("part 12345678-12345678 is missing").insert();
    dead("o").error("part 1-2 is missing").insert();
    dead("p").error("part 12345678-9 is missing").insert();

    Map<String, List<String>> found = new HashMap<>();
    for (ErrorGroup group : operator.overview().errors()) {
      List<String> ids =
          ids(
              EventFilter.builder()
                  .status(EventStatus.RETRY, EventStatus.DEAD)
                  .errorPattern(group.pattern())
                  .build());
      assertThat(ids).as(group.pattern()).hasSize(group.count()).contains(group.example());
      found.put(group.pattern(), ids.stream().sorted().toList());
    }
    assertThat(found.values())
        .containsExactlyInAnyOrder(
            List.of("a", "b", "c"),
            List.of("d"),
            List.of("e"),
            List.of("f", "g", "h", "q"),
            List.of("i"),
            List.of("j", "k", "m"),
            List.of("l"),
            List.of("n"),
            List.of("o", "p"));
  }

  private static EventFilter error(String text) {
    return EventFilter.builder().status(EventStatus.DEAD).errorContains(text).build();
  }

  private static EventFilter prefix(String text) {
    return EventFilter.builder().idPrefix(text).build();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"01J0", "9f8a", "9F8A", "order-", "order_", "Ordér", "x~", "\uD83D\uDE00", "a-"})
  void anIdIsFoundByAnyBeginning(String start) throws SQLException {
    for (String end : List.of("", "0", "Z", "z", "-", "~", "é", "\uD83D\uDE00")) {
      fresh(start + end).insert();
    }
    fresh("0").insert();
    fresh("zzz").insert();
    assertThat(ids(prefix(start))).hasSize(8).allMatch(id -> id.startsWith(start));
  }

  @Test
  void otherConditionsAreMetTogether() throws SQLException {
    dead("a").aggregate("Order", "1").set("tenant_id", "x").set("attempts", 3).insert();
    dead("b").aggregate("Order", "1").set("tenant_id", "y").set("attempts", 2).insert();
    dead("c").aggregate("Cart", "1").set("ordering_key", "k").insert();
    done("d").aggregate("Order", "1").insert();

    assertThat(ids(EventFilter.builder().aggregateType("Order").aggregateId("1").build()))
        .containsExactlyInAnyOrder("a", "b", "d");
    assertThat(ids(EventFilter.builder().aggregateId("1").tenantId("y").build()))
        .containsExactly("b");
    assertThat(ids(EventFilter.builder().minAttempts(3).build())).containsExactly("a");
    assertThat(ids(EventFilter.builder().orderingKey("k").build())).containsExactly("c");
    assertThat(ids(EventFilter.builder().status(EventStatus.DONE).leased(true).build())).isEmpty();
  }

  @Test
  void stuckLeasesAreThoseNotRenewedFor() throws SQLException {
    fresh("a").leased("node", T0).insert();
    retry("b").leased("node", T0.plusSeconds(10)).insert();
    dead("c").insert();

    assertThat(ids(EventFilter.builder().leasedBefore(T0.plusSeconds(1)).build()))
        .containsExactly("a");
    assertThat(ids(EventFilter.builder().leasedBefore(T0.plusSeconds(11)).build()))
        .containsExactly("b", "a");
    assertThat(operator.stuckLeases().leasedBefore()).isPresent();
  }

  @Test
  void aSearchLooksAtNoMoreThanItMayAndGoesOnFromThere() throws SQLException {
    List<Row> rows = new ArrayList<>();
    for (int i = 0; i < 300; i++) {
      rows.add(dead("dead" + i).created(T0.plusSeconds(i)).done(T0.plusSeconds(i)));
    }
    insertAll(rows);
    execute("UPDATE outbox_event SET event_type = 'Rare' WHERE event_id = 'dead3'");
    EventFilter rare = EventFilter.builder().status(EventStatus.DEAD).eventType("Rare").build();

    EventPage first = page(rare, null, 10, 120);
    assertThat(first.events()).isEmpty();
    assertThat(first.scanLimited()).isTrue();
    assertThat(first.scanned()).isEqualTo(120);
    assertThat(first.next()).isNotNull().matches("[A-Za-z0-9_-]+");
    assertThat(all(rare, 10, 120)).containsExactly("dead3");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "x",
        "%%%",
        "MSBkIDAgMCA9IDE",
        "' OR 1 = 1",
        "1 d 0 0 = 1",
        "1 i 0 - = x",
        "1 d 7 0 = 1",
        "1 d 0 999999999999999999 = 1",
        "1 d 0 0 = x",
        "1 d 0 - = 1",
        "2 d 0 0 = 1",
        "1 zz 0 0 = 1"
      })
  void aCursorThatNoSearchReturnedIsRefused(String text) throws SQLException {
    fresh("a").insert();
    EventFilter dead = EventFilter.of(EventStatus.DEAD);
    String encoded = Base64.getUrlEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    for (String cursor : List.of(text, encoded)) {
      assertThatThrownBy(() -> page(dead, cursor, 10, SCAN))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("begin at the first page");
    }
  }

  @Test
  void aCursorIsOfUseForItsFilterOnly() throws SQLException {
    for (int i = 0; i < 3; i++) {
      dead("dead" + i).insert();
      fresh("new" + i).insert();
    }
    String next = page(EventFilter.of(EventStatus.DEAD), null, 1, SCAN).next();
    assertThatThrownBy(() -> page(prefix("new"), next, 1, SCAN))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void aRowOfAnUnknownStatusIsNotListed() throws SQLException {
    fresh("odd").set("status", 7).insert();
    fresh("even").insert();
    assertThat(ids(EventFilter.ALL)).containsExactly("even");
    assertThat(ids(prefix("o"))).isEmpty();
    List<EventSummary> none = with(conn -> operatorStore.summaries(conn, List.of("odd")));
    assertThat(none).isEmpty();
  }

  @Test
  void neighborsAreTheEventsOfTheSameKeyInTheirOrder() throws SQLException {
    for (int i = 0; i < 9; i++) {
      new Row("e" + i, EventStatus.values()[i % 4]).aggregate("Order", "1").insert();
      fresh("other" + i).aggregate("Order", "2").insert();
      fresh("keyed" + i).aggregate("Order", "1").set("ordering_key", "k").insert();
    }
    fresh("alone").insert();

    assertThat(neighbors("e4", 2)).containsExactly("e2", "e3", "e5", "e6");
    assertThat(neighbors("e0", 3)).containsExactly("e1", "e2", "e3");
    assertThat(neighbors("e8", 100)).hasSize(8);
    assertThat(neighbors("keyed4", 1)).containsExactly("keyed3", "keyed5");
    assertThat(neighbors("alone", 5)).isEmpty();
  }

  private List<String> neighbors(String id, int each) throws SQLException {
    OutboxEvent event = find(id);
    return with(conn -> operatorStore.neighbors(conn, event, each, SCAN)).stream()
        .map(EventSummary::eventId)
        .toList();
  }

  /** Behind a thousand older ones: each is looked for by its key. */
  @Test
  void aBlockedKeyIsFoundHoweverManyOthersAreBlocked() throws SQLException {
    try (Connection conn = dataSource.getConnection()) {
      conn.setAutoCommit(false);
      for (int i = 0; i <= 1_000; i++) {
        block(conn, "Order:" + i, "e" + i, T0.plusSeconds(i));
      }
      conn.commit();
    }
    dead("e1000").aggregate("Order", "1000").insert();
    dead("other").aggregate("Order", "1000").insert();
    fresh("behind").aggregate("Order", "1000").insert();

    assertThat(operator.blocksItsKey(find("e1000"))).isTrue();
    assertThat(operator.blocksItsKey(find("other"))).isFalse();
    EventSummary behind = EventSummary.of(find("behind"));
    assertThat(operator.waitReasons(List.of(behind)).of(behind).orElseThrow().kind())
        .isEqualTo(WaitReason.Kind.KEY_BLOCKED);
  }

  private void block(Connection conn, String key, String event, Instant since) {
    JDBC.update(
        conn,
        "INSERT INTO outbox_event_block (key_name, lane, event_id, blocked_at, reason)"
            + " VALUES (?, ?, ?, ?, 'broken')",
        key,
        EventKey.named(key).lane(),
        event,
        target.product().parameter(since));
  }
}
