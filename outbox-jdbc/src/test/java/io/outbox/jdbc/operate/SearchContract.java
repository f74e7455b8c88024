package io.outbox.jdbc.operate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.outbox.jdbc.store.Target;
import io.outbox.model.EventStatus;
import io.outbox.model.OutboxEvent;
import io.outbox.operate.EventFilter;
import io.outbox.operate.EventPage;
import io.outbox.operate.EventSummary;
import io.outbox.operate.LifecycleState;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What an operator finds. */
abstract class SearchContract extends OperatorContract {

  SearchContract(Target target) {
    super(target);
  }

  /** Some of everything, with instants that are shared, and in no order. */
  private List<String> insertMany(int count) throws SQLException {
    Random random = new Random(42);
    List<String> ids = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      String id = "e" + random.nextInt(1000) + "-" + i;
      Instant at = T0.plusSeconds(random.nextInt(i % 8 < 4 ? 3 : 60));
      EventStatus status = EventStatus.values()[i % 4];
      Row row = new Row(id, status).created(at).available(at).type("Type" + i % 3);
      if (status == EventStatus.DONE || status == EventStatus.DEAD) {
        row.done(at.plusSeconds(random.nextInt(5)));
      } else if (i % 3 == 0) {
        row.leased("node", at.plusSeconds(random.nextInt(5)));
      }
      row.insert();
      ids.add(id);
    }
    return ids;
  }

  static Stream<EventFilter> filters() {
    return Stream.of(
        EventFilter.ALL,
        EventFilter.of(EventStatus.NEW),
        EventFilter.of(EventStatus.RETRY),
        EventFilter.of(EventStatus.DONE),
        EventFilter.of(EventStatus.DEAD),
        EventFilter.builder().status(EventStatus.DONE, EventStatus.DEAD).build(),
        EventFilter.builder().status(EventStatus.RETRY, EventStatus.DEAD).build(),
        EventFilter.builder().status(EventStatus.NEW, EventStatus.DONE).build(),
        EventFilter.builder().state(LifecycleState.PENDING).build(),
        EventFilter.builder().state(LifecycleState.CLAIMED).build(),
        EventFilter.builder().leased(false).build(),
        EventFilter.builder().idPrefix("e1").build(),
        EventFilter.builder().eventType("Type1").build(),
        EventFilter.builder().status(EventStatus.DEAD).eventType("Type2").build(),
        EventFilter.builder()
            .createdFrom(T0.plusSeconds(5))
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
        && filter.createdFrom().map(at -> !event.createdAt().isBefore(at)).orElse(true)
        && filter.createdUntil().map(event.createdAt()::isBefore).orElse(true);
  }

  @ParameterizedTest
  @MethodSource("filters")
  void pagesOfAnySizeHaveEveryMatchingEventOnce(EventFilter filter) throws SQLException {
    List<String> inserted = insertMany(240);
    List<String> expected =
        with(conn -> operatorStore.summaries(conn, inserted)).stream()
            .filter(event -> matches(filter, event))
            .map(EventSummary::eventId)
            .toList();
    assertThat(expected).isNotEmpty();

    List<String> atOnce = all(filter, 1000, SCAN);
    assertThat(atOnce).containsExactlyInAnyOrderElementsOf(expected);
    assertThat(all(filter, 7, SCAN)).isEqualTo(atOnce);
    assertThat(all(filter, 1, SCAN)).isEqualTo(atOnce);
    assertThat(all(filter, 50, 3)).isEqualTo(atOnce);
    assertThat(all(filter, 2, 1)).isEqualTo(atOnce);
  }

  @Test
  void veryManyEventsOfOneInstantArePagedLikeOthers() throws SQLException {
    for (int i = 0; i < 350; i++) {
      done("done-" + (1000 + i)).type("Type" + i % 5).insert();
      retry("retry-" + (1000 + i)).insert();
    }
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
    assertThat(ids(EventFilter.builder().state(LifecycleState.CLAIMED).build()))
        .containsExactly("leased2", "leased1", "leased0");
    assertThat(ids(EventFilter.ALL).subList(0, 4))
        .containsExactlyInAnyOrder("new2", "dead2", "done2", "leased2");
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
    for (int i = 0; i < 300; i++) {
      dead("dead" + i).created(T0.plusSeconds(i)).done(T0.plusSeconds(i)).insert();
    }
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
  void neighboursAreTheEventsOfTheSameKeyInTheirOrder() throws SQLException {
    for (int i = 0; i < 9; i++) {
      new Row("e" + i, EventStatus.values()[i % 4]).aggregate("Order", "1").insert();
      fresh("other" + i).aggregate("Order", "2").insert();
      fresh("keyed" + i).aggregate("Order", "1").set("ordering_key", "k").insert();
    }
    fresh("alone").insert();

    assertThat(neighbours("e4", 2)).containsExactly("e2", "e3", "e5", "e6");
    assertThat(neighbours("e0", 3)).containsExactly("e1", "e2", "e3");
    assertThat(neighbours("e8", 100)).hasSize(8);
    assertThat(neighbours("keyed4", 1)).containsExactly("keyed3", "keyed5");
    assertThat(neighbours("alone", 5)).isEmpty();
  }

  private List<String> neighbours(String id, int each) throws SQLException {
    OutboxEvent event = find(id);
    return with(conn -> operatorStore.neighbours(conn, event, each, SCAN)).stream()
        .map(EventSummary::eventId)
        .toList();
  }
}
