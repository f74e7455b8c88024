package io.outbox.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.EventEnvelope;
import io.outbox.model.EventRoute;
import io.outbox.model.EventStatus;
import io.outbox.model.OutboxEvent;
import io.outbox.spi.PendingBatch;
import io.outbox.spi.PendingQuery;
import io.outbox.spi.PollCursor;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The engine's own way of reading: batch after batch from a cursor, and when to come back. */
abstract class FetchContract extends ClaimContract {

  private static final Instant NOW = T0.plusSeconds(600);
  private static final Instant EXPIRY = NOW.minusSeconds(60);

  private PendingBatch fetch(boolean claiming, int limit, PollCursor after) throws SQLException {
    return fetch(claiming, limit, after, NO_SKIP);
  }

  private PendingBatch fetch(boolean claiming, int limit, PollCursor after, Duration skipRecent)
      throws SQLException {
    String claimAs = claiming ? OWNER : null;
    return inTransaction(
        c ->
            store()
                .fetchPending(c, new PendingQuery(NOW, skipRecent, limit, EXPIRY, claimAs, after)));
  }

  /** Reads batches until one is short. */
  private List<OutboxEvent> drain(boolean claiming, int limit) throws SQLException {
    List<OutboxEvent> all = new ArrayList<>();
    PollCursor cursor = null;
    while (true) {
      PendingBatch batch = fetch(claiming, limit, cursor);
      assertThat(batch.events()).hasSizeLessThanOrEqualTo(limit);
      all.addAll(batch.events());
      if (batch.events().size() < limit) {
        return all;
      }
      cursor = batch.cursor().orElseThrow();
    }
  }

  @ParameterizedTest(name = "claiming {0}")
  @ValueSource(booleans = {false, true})
  protected void R14_aDrainFindsEachOfAThousandEventsOnce(boolean claiming) throws SQLException {
    requireLeases();
    List<EventEnvelope> events = new ArrayList<>();
    Random random = new Random(7);
    for (int i = 0; i < 1_000; i++) {
      // Many share an instant, and the order of insertion is not the order of creation.
      Instant created = T0.plusSeconds(random.nextInt(50));
      events.add(
          event().occurredAt(created).availableAt(created.plusSeconds(random.nextInt(9))).build());
    }
    List<String> ids = insert(events);

    assertThat(ids(drain(claiming, 37))).containsExactlyInAnyOrderElementsOf(ids);
  }

  @ParameterizedTest(name = "claiming {0}")
  @ValueSource(booleans = {false, true})
  protected void R14_aDrainGoesOnThroughEventsOfOneInstant(boolean claiming) throws SQLException {
    requireLeases();
    List<String> ids =
        insert(Collections.nCopies(250, 0).stream().map(i -> event().build()).toList());

    assertThat(ids(drain(claiming, 100))).containsExactlyElementsOf(ids);
  }

  /** A store may return events of routes that are not wanted; then this is false. */
  protected boolean leavesRoutesOut() {
    return true;
  }

  @ParameterizedTest(name = "claiming {0}")
  @ValueSource(booleans = {false, true})
  protected void routesThatAreNotWantedAreLeftOut(boolean claiming) throws SQLException {
    requireLeases();
    insert(EventEnvelope.builder("Down").occurredAt(T0).payloadJson("1").build());
    insert(
        EventEnvelope.builder("Down")
            .aggregateType("Order")
            .occurredAt(T0)
            .payloadJson("1")
            .build());
    insertLeased(
        EventEnvelope.builder("Late").occurredAt(T0).payloadJson("1").build(), OTHER_OWNER, T0);
    String up = insert(EventEnvelope.builder("Up").occurredAt(T0).payloadJson("1").build());
    String other =
        insert(
            EventEnvelope.builder("Down")
                .aggregateType("Customer")
                .occurredAt(T0)
                .payloadJson("1")
                .build());
    List<EventRoute> without =
        List.of(
            new EventRoute("__GLOBAL__", "Down"),
            new EventRoute("Order", "Down"),
            new EventRoute("__GLOBAL__", "Late"));

    PendingBatch batch =
        inTransaction(
            c ->
                store()
                    .fetchPending(
                        c,
                        new PendingQuery(
                            NOW,
                            NO_SKIP,
                            10,
                            EXPIRY,
                            claiming ? OWNER : null,
                            Long.MAX_VALUE,
                            without,
                            null)));
    assertThat(ids(batch.events())).contains(up, other).hasSize(leavesRoutesOut() ? 2 : 5);
  }

  static Stream<Arguments> routes() {
    return Stream.of(
        Arguments.of(List.of(new EventRoute("Order", null)), List.of("gA", "gB", "cA", "cB")),
        Arguments.of(List.of(new EventRoute(null, "A")), List.of("gB", "oB", "cB")),
        Arguments.of(List.of(new EventRoute("__GLOBAL__", null)), List.of("oA", "oB", "cA", "cB")),
        Arguments.of(
            List.of(
                new EventRoute("Order", null),
                new EventRoute("__GLOBAL__", null),
                new EventRoute(null, "A"),
                new EventRoute(null, "None")),
            List.of("cB")),
        Arguments.of(
            List.of(
                new EventRoute("Order", "A"),
                new EventRoute("Customer", null),
                new EventRoute(null, "B")),
            List.of("gA")),
        Arguments.of(List.of(EventRoute.ANY), List.of()),
        Arguments.of(List.of(EventRoute.ANY, new EventRoute("Order", "A")), List.of()));
  }

  @ParameterizedTest(name = "without {0}: {1}")
  @MethodSource("routes")
  protected void aRouteMayStandForAnyType(List<EventRoute> without, List<String> left)
      throws SQLException {
    requireLeases();
    for (String type : List.of("A", "B")) {
      insert(
          EventEnvelope.builder(type).eventId("g" + type).occurredAt(T0).payloadJson("1").build());
      insert(typed("o" + type, "Order", type));
      insert(typed("c" + type, "Customer", type));
    }

    List<OutboxEvent> events =
        inTransaction(
                c ->
                    store()
                        .fetchPending(
                            c,
                            new PendingQuery(
                                NOW, NO_SKIP, 10, EXPIRY, null, Long.MAX_VALUE, without, null)))
            .events();
    assertThat(ids(events)).containsAll(left).hasSize(leavesRoutesOut() ? left.size() : 6);
  }

  private static EventEnvelope typed(String id, String aggregateType, String type) {
    return EventEnvelope.builder(type)
        .eventId(id)
        .aggregateType(aggregateType)
        .occurredAt(T0)
        .payloadJson("1")
        .build();
  }

  /** Or each poll would read what is left out again, however much it is. */
  @ParameterizedTest(name = "claiming {0}")
  @ValueSource(booleans = {false, true})
  protected void R12_aDrainGoesOnBehindWhatIsLeftOut(boolean claiming) throws SQLException {
    requireLeases();
    List<EventRoute> without = List.of(new EventRoute(null, "Paused"));
    insert(typed("paused", "Order", "Paused"));
    PendingQuery first =
        new PendingQuery(
            NOW, NO_SKIP, 10, EXPIRY, claiming ? OWNER : null, Long.MAX_VALUE, without, null);
    PendingBatch batch = inTransaction(c -> store().fetchPending(c, first));
    assertThat(batch.events()).hasSize(leavesRoutesOut() ? 0 : 1);

    insert(
        EventEnvelope.builder("Due")
            .eventId("due")
            .occurredAt(NOW)
            .availableAt(NOW.plusMillis(1))
            .payloadJson("1")
            .build());
    PendingBatch next =
        inTransaction(
            c ->
                store()
                    .fetchPending(
                        c,
                        new PendingQuery(
                            NOW.plusSeconds(1),
                            NO_SKIP,
                            10,
                            EXPIRY,
                            claiming ? OWNER : null,
                            Long.MAX_VALUE,
                            without,
                            batch.cursor().orElse(null))));
    assertThat(ids(next.events())).contains("due");
  }

  @ParameterizedTest(name = "claiming {0}")
  @ValueSource(booleans = {false, true})
  protected void R14_aBatchIsFullWhileThereIsMore(boolean claiming) throws SQLException {
    requireLeases();
    for (int i = 0; i < 10; i++) {
      insert(eventAt(T0.plusSeconds(i)));
      insertLeased(eventAt(T0.plusSeconds(i)), OTHER_OWNER, T0.plusSeconds(i));
    }

    PendingBatch first = fetch(claiming, 8, null);
    PendingBatch second = fetch(claiming, 8, first.cursor().orElseThrow());
    PendingBatch third = fetch(claiming, 8, second.cursor().orElseThrow());
    assertThat(List.of(first.events().size(), second.events().size(), third.events().size()))
        .containsExactly(8, 8, 4);
    List<String> all = new ArrayList<>(ids(first.events()));
    all.addAll(ids(second.events()));
    all.addAll(ids(third.events()));
    assertThat(all).doesNotHaveDuplicates();
  }

  @ParameterizedTest(name = "claiming {0}")
  @ValueSource(booleans = {false, true})
  protected void aBatchIsInTheOrderOfCreation(boolean claiming) throws SQLException {
    requireLeases();
    String third = insert(event().occurredAt(T0.plusSeconds(3)).build());
    String second =
        insert(event().occurredAt(T0.plusSeconds(2)).deliverAfter(Duration.ofSeconds(9)).build());
    String expired = insertLeased(eventAt(T0.plusSeconds(1)), OTHER_OWNER, T0).eventId();
    String first = insert(event().deliverAfter(Duration.ofSeconds(20)).build());
    String tie = insert(event().occurredAt(T0.plusSeconds(3)).build());

    List<OutboxEvent> batch = fetch(claiming, 10, null).events();
    assertThat(ids(batch)).containsExactly(first, expired, second, third, tie);
    assertThat(batch)
        .isSortedAccordingTo(
            Comparator.comparing(OutboxEvent::createdAt).thenComparing(OutboxEvent::seq));
  }

  @Test
  protected void fetchingWithoutClaimingChangesNothing() throws SQLException {
    requireLeases();
    String id = insert(event().build());
    OutboxEvent before = row(id);

    OutboxEvent read = fetch(false, 10, null).events().get(0);
    assertThat(read).usingRecursiveComparison().isEqualTo(before);
    assertThat(row(id)).usingRecursiveComparison().isEqualTo(before);
  }

  @Test
  protected void R5_claimingGivesALeaseWithTheNextNumber() throws SQLException {
    requireLeases();
    String id = insert(event().build());

    OutboxEvent claimed = fetch(true, 10, null).events().get(0);
    assertThat(claimed.lease().owner()).isEqualTo(OWNER);
    assertThat(claimed.lease().lockedAt()).isEqualTo(NOW);
    assertThat(claimed.leaseNumber()).isEqualTo(1);
    assertThat(claimed.claims()).isEqualTo(1);
    assertThat(row(id)).usingRecursiveComparison().isEqualTo(claimed);
    assertThat(fetch(true, 10, null).events()).isEmpty();
  }

  @ParameterizedTest(name = "claiming {0}")
  @ValueSource(booleans = {false, true})
  protected void R4_eventsLeasedToSomebodyAreLeftOutUntilTheLeaseExpires(boolean claiming)
      throws SQLException {
    requireLeases();
    insertLeased(event().build(), OTHER_OWNER, EXPIRY);
    insertLeased(event().build(), OWNER, NOW);
    String expired = insertLeased(event().build(), OTHER_OWNER, EXPIRY.minusNanos(1000)).eventId();

    assertThat(ids(fetch(claiming, 10, null).events())).containsExactly(expired);
  }

  @ParameterizedTest(name = "claiming {0}")
  @ValueSource(booleans = {false, true})
  protected void aDrainIncludesExpiredLeases(boolean claiming) throws SQLException {
    requireLeases();
    List<String> ids = new ArrayList<>();
    for (int i = 0; i < 25; i++) {
      // Several share the instant of their lease.
      ids.add(insertLeased(eventAt(T0), OTHER_OWNER, T0.plusSeconds(i / 5)).eventId());
      ids.add(insert(eventAt(T0)));
    }

    List<OutboxEvent> drained = drain(claiming, 4);
    assertThat(ids(drained)).containsExactlyInAnyOrderElementsOf(ids);
  }

  @ParameterizedTest(name = "claiming {0}")
  @ValueSource(booleans = {false, true})
  protected void R1_anEventThatAppearsBehindTheCursorIsFoundFromTheStart(boolean claiming)
      throws SQLException {
    requireLeases();
    Connection slowWriter = openTransaction();
    EventEnvelope late = eventAt(T0);
    store().insertNew(slowWriter, late);
    insert(events(10).stream().map(e -> eventAt(e.occurredAt().plusSeconds(1))).toList());
    PollCursor cursor = fetch(claiming, 5, null).cursor().orElseThrow();
    slowWriter.commit();

    PendingBatch rest = fetch(claiming, 10, cursor);
    assertThat(ids(rest.events())).doesNotContain(late.eventId());
    assertThat(ids(fetch(claiming, 100, null).events())).contains(late.eventId());
  }

  @ParameterizedTest(name = "claiming {0}")
  @ValueSource(booleans = {false, true})
  protected void fetchingSkipsRecentEvents(boolean claiming) throws SQLException {
    requireLeases();
    Duration skip = Duration.ofSeconds(2);
    String old = insert(eventAt(NOW.minus(skip)));
    insert(eventAt(NOW.minus(skip).plusNanos(1000)));

    assertThat(ids(fetch(claiming, 10, null, skip).events())).containsExactly(old);
  }

  @ParameterizedTest
  @EnumSource(EventStatus.class)
  protected void onlyPendingEventsAreFetched(EventStatus status) throws SQLException {
    requireLeases();
    String id = insertIn(status);

    List<String> expected = status.isPending() ? List.of(id) : List.of();
    assertThat(ids(fetch(false, 10, null).events())).isEqualTo(expected);
    assertThat(ids(fetch(true, 10, null).events())).isEqualTo(expected);
  }

  @ParameterizedTest(name = "claiming {0}")
  @ValueSource(booleans = {false, true})
  protected void R11_aShortBatchSaysWhenTheNextEventIsDue(boolean claiming) throws SQLException {
    requireLeases();
    insert(event().build());
    insert(event().availableAt(NOW.plusSeconds(9)).build());
    insert(event().availableAt(NOW.plusNanos(5000)).build());
    insert(event().availableAt(NOW.plusSeconds(1)).build());

    PendingBatch batch = fetch(claiming, 10, null);
    assertThat(batch.events()).hasSize(1);
    assertThat(batch.nextDue()).contains(NOW.plusNanos(5000));
  }

  @Test
  protected void R11_aRetryIsDueNext() throws SQLException {
    requireLeases();
    String id = insert(event().build());
    store().markRetry(conn, id, NOW.plusSeconds(3), "failed");

    PendingBatch batch = fetch(true, 10, null);
    assertThat(batch.events()).isEmpty();
    assertThat(batch.nextDue()).contains(NOW.plusSeconds(3));
  }

  @ParameterizedTest(name = "claiming {0}")
  @ValueSource(booleans = {false, true})
  protected void R11_nothingIsDueNextWhenNothingWaits(boolean claiming) throws SQLException {
    requireLeases();
    insert(event().build());
    insertIn(EventStatus.DONE);
    String dead = insert(event().availableAt(NOW.plusSeconds(5)).build());
    store().markDead(conn, dead, "given up");

    assertThat(fetch(claiming, 10, null).nextDue()).isEmpty();
  }

  @Test
  protected void fetchingPassesByRowsThatAreLocked() throws SQLException {
    requireLeases();
    requireSkippedRows();
    List<String> ids = insert(events(3));
    Connection other = openTransaction();
    lockRow(other, ids.get(1));

    assertThat(ids(fetch(true, 10, null).events())).containsExactly(ids.get(0), ids.get(2));
    other.rollback();
    assertThat(ids(fetch(true, 10, null).events())).containsExactly(ids.get(1));
  }
}
