package io.outbox.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.outbox.EventEnvelope;
import io.outbox.model.EventStatus;
import io.outbox.model.Lease;
import io.outbox.model.OutboxEvent;
import io.outbox.spi.NewEvent;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.TimeZone;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How events get into a store. */
abstract class InsertContract extends StoreFixture {

  @Test
  protected void anInsertedEventIsNewAndHasAllItWasWrittenWith() throws SQLException {
    EventEnvelope event =
        EventEnvelope.builder("OrderPlaced")
            .occurredAt(T0)
            .aggregateType("Order")
            .aggregateId("order-1")
            .tenantId("tenant-1")
            .orderingKey("orders/1")
            .partitionKey("partition-1")
            .payloadJson("{\"total\":12}")
            .build();
    store().insertNew(conn, event);

    OutboxEvent row = row(event.eventId());
    assertThat(row.eventType()).isEqualTo("OrderPlaced");
    assertThat(row.aggregateType()).isEqualTo("Order");
    assertThat(row.aggregateId()).isEqualTo("order-1");
    assertThat(row.tenantId()).isEqualTo("tenant-1");
    assertThat(row.orderingKey()).isEqualTo("orders/1");
    assertThat(row.partitionKey()).isEqualTo("partition-1");
    assertThat(row.payloadJson()).isEqualTo("{\"total\":12}");
    assertThat(row.payloadBytes()).isNull();
    assertThat(row.createdAt()).isEqualTo(T0);
    assertThat(row.availableAt()).isEqualTo(T0);
    assertThat(row.status()).isEqualTo(EventStatus.NEW);
    assertThat(row.attempts()).isZero();
    assertThat(row.claims()).isZero();
    assertThat(row.starts()).isZero();
    assertThat(row.lease()).isNull();
    assertThat(row.doneAt()).isNull();
    assertThat(row.lastError()).isNull();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3, 300})
  protected void eventsThatWereDeliveredAlreadyAreInsertedAsDone(int count) throws SQLException {
    List<EventEnvelope> events = events(count);
    Instant doneAt = T0.plusSeconds(60);
    inTransaction(
        c -> {
          store().insertFinished(c, events, doneAt);
          return null;
        });

    for (EventEnvelope event : events) {
      OutboxEvent row = row(event.eventId());
      assertThat(row.status()).isEqualTo(EventStatus.DONE);
      assertThat(row.doneAt()).isEqualTo(doneAt);
      assertThat(row.createdAt()).isEqualTo(event.occurredAt());
      assertThat(row.payloadJson()).isEqualTo("{}");
      assertThat(row.attempts()).isZero();
      assertThat(row.lease()).isNull();
    }
    assertThat(poll(T0.plusSeconds(120))).isEmpty();
  }

  @Test
  protected void whatWasNotGivenIsNotThere() throws SQLException {
    EventEnvelope event = event().build();
    store().insertNew(conn, event);

    OutboxEvent row = row(event.eventId());
    assertThat(row.aggregateType()).isEqualTo("__GLOBAL__");
    assertThat(row.aggregateId()).isNull();
    assertThat(row.tenantId()).isNull();
    assertThat(row.orderingKey()).isNull();
    assertThat(row.partitionKey()).isNull();
    assertThat(row.headersJson()).isNull();
  }

  @Test
  protected void pollingReadsEverythingADeliveryNeeds() throws SQLException {
    EventEnvelope event =
        EventEnvelope.builder("OrderPlaced")
            .occurredAt(T0)
            .aggregateType("Order")
            .aggregateId("order-1")
            .tenantId("tenant-1")
            .orderingKey("orders/1")
            .partitionKey("partition-1")
            .header("trace", "abc")
            .payloadJson("[1]")
            .build();
    insert(event);

    EventEnvelope read = EventEnvelope.fromRow(poll(T0).get(0));
    assertThat(read).usingRecursiveComparison().isEqualTo(event);
  }

  @Test
  protected void headersComeBackInTheirOrder() throws SQLException {
    EventEnvelope event =
        event()
            .header("zeta", "1")
            .header("alpha", "")
            .header("Ключ \"ü\" 😀", "line\nbreak \\ / \" <b>&'\u2028 \u0000 end")
            .build();
    insert(event);

    EventEnvelope read = EventEnvelope.fromRow(row(event.eventId()));
    assertThat(read.headers()).containsExactlyEntriesOf(event.headers());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{}",
        "null",
        "true",
        "0",
        "\"\"",
        " {\n\t\"b\" : 1 ,\r\n \"a\":1.0,\"a\":2}  ",
        "[1e5,1E+2,-0,-0.0,1.10,123456789012345678901234567890.000]",
        "\"caf\u00e9 \u65e5\u672c \ud83d\ude00 \u2028 \u007f\"",
        "\"\\u00e9 \\ud83d\\ude00 \\/ \\\\ \\\" \\b\"",
        "\"\\u0000\"",
        "\"\\ud800\"",
        "{\"\":{\"__proto__\":[[],{},\"'; --\",\"%s ? :x ${y}\"]}}",
      })
  protected void R8_aJsonPayloadComesBackToTheLetter(String payload) throws SQLException {
    String id = insert(event().payloadJson(payload).build());

    assertThat(poll(T0).get(0).payloadJson()).isEqualTo(payload);
    assertThat(row(id).payloadJson()).isEqualTo(payload);
  }

  @Test
  protected void R8_aDeeplyNestedPayloadComesBackToTheLetter() throws SQLException {
    String payload = "[".repeat(200) + "]".repeat(200);
    insert(event().payloadJson(payload).build());

    assertThat(poll(T0).get(0).payloadJson()).isEqualTo(payload);
  }

  @ParameterizedTest
  @ValueSource(strings = {"x", "ü", "日", "😀"})
  protected void R8_aPayloadOfTheGreatestSizeComesBackToTheLetter(String letter)
      throws SQLException {
    int max = EventEnvelope.MAX_PAYLOAD_BYTES;
    int size = letter.getBytes(StandardCharsets.UTF_8).length;
    int room = max - 2;
    String payload = '"' + "x".repeat(room % size) + letter.repeat(room / size) + '"';
    assertThat(payload.getBytes(StandardCharsets.UTF_8)).hasSize(max);
    insert(event().payloadJson(payload).build());

    // Not by isEqualTo, whose message would be two megabytes long.
    assertThat(poll(T0).get(0).payloadJson().equals(payload)).isTrue();
  }

  @Test
  protected void R8_aPayloadOfBytesComesBackByteForByte() throws SQLException {
    byte[] all = new byte[1024];
    for (int i = 0; i < all.length; i++) {
      all[i] = (byte) i;
    }
    String id = insert(event().payloadJson(null).payloadBytes(all, "application/avro").build());

    OutboxEvent row = poll(T0).get(0);
    assertThat(row.payloadBytes()).isEqualTo(all);
    assertThat(row.contentType()).isEqualTo("application/avro");
    assertThat(row.payloadJson()).isNull();
    assertThat(row(id).payloadBytes()).isEqualTo(all);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, EventEnvelope.MAX_PAYLOAD_BYTES})
  protected void R8_bytesOfAnySizeComeBack(int size) throws SQLException {
    byte[] bytes = new byte[size];
    java.util.Arrays.fill(bytes, (byte) 0xFF);
    insert(event().payloadJson(null).payloadBytes(bytes, "application/octet-stream").build());

    OutboxEvent row = poll(T0).get(0);
    assertThat(java.util.Arrays.equals(row.payloadBytes(), bytes)).isTrue();
    assertThat(row.payloadJson()).isNull();
  }

  @Test
  protected void valuesOfTheGreatestLengthAndAnyScriptComeBack() throws SQLException {
    EventEnvelope event =
        EventEnvelope.builder("日".repeat(128))
            .eventId("é".repeat(36))
            .occurredAt(T0)
            .aggregateType("ж".repeat(64))
            .aggregateId("😀".repeat(64))
            .tenantId("'\"\\%_;--\t\n" + "t".repeat(54))
            .orderingKey("ß".repeat(255))
            .partitionKey(" k ".repeat(85))
            .payloadJson("{}")
            .build();
    insert(event);

    assertThat(EventEnvelope.fromRow(poll(T0).get(0))).usingRecursiveComparison().isEqualTo(event);
  }

  @Test
  protected void idsThatDifferInCaseAreDifferentEvents() throws SQLException {
    insert(event().eventId("event-a").build());
    insert(event().eventId("EVENT-A").build());
    insert(event().eventId("évent-a").build());

    assertThat(ids(poll(T0))).containsExactly("event-a", "EVENT-A", "évent-a");
    assertThat(store().markDone(conn, "EVENT-A")).isOne();
    assertThat(row("event-a").status()).isEqualTo(EventStatus.NEW);
    assertThat(row("évent-a").status()).isEqualTo(EventStatus.NEW);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "2025-06-01T10:00:00.000001Z",
        "2025-06-01T10:00:00.999999Z",
        "2025-12-31T23:59:59.999999Z",
        "2024-02-29T00:00:00Z",
        "1970-01-01T00:00:01Z",
        "2038-01-19T03:14:08.000001Z",
        "2199-07-01T12:00:00Z",
      })
  protected void R10_instantsAreKeptToTheMicrosecond(Instant instant) throws SQLException {
    EventEnvelope event = event().occurredAt(instant).availableAt(instant.plusNanos(1000)).build();
    String id = insert(event);

    assertThat(row(id).createdAt()).isEqualTo(instant);
    assertThat(row(id).availableAt()).isEqualTo(instant.plusNanos(1000));
    assertThat(poll(instant)).isEmpty();
    assertThat(ids(poll(instant.plusNanos(1000)))).containsExactly(id);
  }

  @Test
  protected void R10_theTimeZoneOfTheJvmDoesNotMatter() throws SQLException {
    // The hours in which clocks are put back and forward in New York.
    List<Instant> instants =
        List.of(
            Instant.parse("2025-11-02T05:30:00Z"),
            Instant.parse("2025-11-02T06:30:00Z"),
            Instant.parse("2025-03-09T06:59:59.999999Z"),
            Instant.parse("2025-03-09T07:30:00Z"));
    TimeZone before = TimeZone.getDefault();
    try {
      for (Instant instant : instants) {
        TimeZone.setDefault(TimeZone.getTimeZone("America/New_York"));
        EventEnvelope event = eventAt(instant);
        store().insertNew(open(), event);
        assertThat(findEvent(open(), event.eventId()).orElseThrow().createdAt()).isEqualTo(instant);

        TimeZone.setDefault(TimeZone.getTimeZone("Asia/Kolkata"));
        OutboxEvent row = findEvent(open(), event.eventId()).orElseThrow();
        assertThat(row.createdAt()).isEqualTo(instant);
        assertThat(row.availableAt()).isEqualTo(instant);
        assertThat(ids(store().pollPending(open(), instant, NO_SKIP, 10))).contains(row.eventId());
        assertThat(ids(store().pollPending(open(), instant.minusNanos(1000), NO_SKIP, 10)))
            .doesNotContain(row.eventId());
      }
    } finally {
      TimeZone.setDefault(before);
    }
  }

  @Test
  protected void aDelayedEventWaitsForItsTime() throws SQLException {
    String id = insert(event().deliverAfter(Duration.ofHours(1)).build());
    Instant due = T0.plus(Duration.ofHours(1));

    assertThat(row(id).availableAt()).isEqualTo(due);
    assertThat(poll(due.minusNanos(1000))).isEmpty();
    assertThat(ids(poll(due))).containsExactly(id);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  protected void R20_anEventThatAskedForNoDelayIsDueAtOnceWhateverItsWritersClockSays(int count)
      throws SQLException {
    Instant ahead = now().plus(Duration.ofMinutes(5));
    List<EventEnvelope> events = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      events.add(eventAt(ahead));
    }
    List<String> ids = insert(events);

    Instant now = now();
    for (String id : ids) {
      assertThat(row(id).availableAt()).isBetween(now.minusSeconds(60), now);
      assertThat(row(id).createdAt()).isEqualTo(ahead.truncatedTo(ChronoUnit.MICROS));
    }
    assertThat(ids(poll(now))).containsExactlyElementsOf(ids);
    assertThat(ids(claim(OWNER, now))).containsExactlyElementsOf(ids);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  protected void R20_aDelayedEventKeepsItsTimeBesideOthersThatAreDue(int count)
      throws SQLException {
    Instant ahead = now().plus(Duration.ofMinutes(5)).truncatedTo(ChronoUnit.MICROS);
    List<EventEnvelope> events = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      events.add(event().occurredAt(ahead).deliverAfter(Duration.ofSeconds(1)).build());
      events.add(eventAt(T0));
    }
    List<String> ids = insert(events);

    for (int i = 0; i < ids.size(); i += 2) {
      assertThat(row(ids.get(i)).availableAt()).isEqualTo(ahead.plusSeconds(1));
      assertThat(row(ids.get(i + 1)).availableAt()).isEqualTo(T0);
    }
    assertThat(poll(now())).hasSize(count);
  }

  @Test
  protected void manyEventsAreInsertedInTheirOrder() throws SQLException {
    List<EventEnvelope> events = new ArrayList<>();
    for (int i = 0; i < 2_500; i++) {
      events.add(event().aggregateId("a" + i).build());
    }
    List<String> ids = insert(events);

    List<OutboxEvent> rows = store().pollPending(conn, T0, NO_SKIP, 10_000);
    assertThat(ids(rows)).containsExactlyElementsOf(ids);
    assertThat(rows).extracting(OutboxEvent::seq).isSorted().doesNotHaveDuplicates();
    assertThat(rows.get(2_499).aggregateId()).isEqualTo("a2499");
  }

  @Test
  protected void oneInsertTakesEventsOfEveryKind() throws SQLException {
    EventEnvelope json = event().header("h", "1").aggregateId("x").build();
    EventEnvelope bytes =
        event().payloadJson(null).payloadBytes(new byte[] {0, 1}, "image/png").build();
    EventEnvelope delayed = event().deliverAfter(Duration.ofMinutes(1)).tenantId("t").build();
    insert(List.of(json, bytes, delayed));

    List<OutboxEvent> rows = poll(T0.plusSeconds(60));
    assertThat(rows)
        .extracting(row -> EventEnvelope.fromRow(row))
        .usingRecursiveFieldByFieldElementComparator()
        .containsExactly(json, bytes, delayed);
  }

  @Test
  protected void insertingNothingDoesNothing() throws SQLException {
    insert(List.of());
    assertThat(poll(T0)).isEmpty();
  }

  @Test
  protected void R4_anEventCanBeBornWithALease() throws SQLException {
    requireLeases();
    EventEnvelope leased = event().build();
    EventEnvelope unleased = event().build();
    Lease lease = new Lease(OWNER, T0, Lease.BORN);
    inTransaction(
        c -> {
          store().insertAll(c, List.of(new NewEvent(leased, lease), NewEvent.unleased(unleased)));
          return null;
        });

    assertThat(row(leased.eventId()).lease()).isEqualTo(lease);
    assertThat(row(leased.eventId()).leaseNumber()).isEqualTo(Lease.BORN);
    assertThat(row(leased.eventId()).claims()).as("it may kill the process too").isEqualTo(1);
    assertThat(row(unleased.eventId()).lease()).isNull();
    assertThat(row(unleased.eventId()).leaseNumber()).isLessThan(Lease.BORN);
    assertThat(ids(claim(OTHER_OWNER, T0.plusSeconds(1)))).containsExactly(unleased.eventId());
  }

  @Test
  protected void anIdIsTakenOnce() throws SQLException {
    EventEnvelope first = event().payloadJson("1").build();
    insert(first);
    EventEnvelope second = event().eventId(first.eventId()).payloadJson("2").build();

    assertThatThrownBy(() -> store().insertNew(conn, second)).isInstanceOf(RuntimeException.class);
    assertThat(row(first.eventId()).payloadJson()).isEqualTo("1");
  }

  @ParameterizedTest
  @ValueSource(ints = {3, 1_200})
  protected void R17_ifOneEventIsRefusedNoneIsStored(int size) throws SQLException {
    String taken = insert(event().build());
    List<NewEvent> batch = new ArrayList<>();
    events(size - 1).forEach(event -> batch.add(NewEvent.unleased(event)));
    batch.add(NewEvent.unleased(event().eventId(taken).build()));

    Connection other = openTransaction();
    assertThatThrownBy(() -> store().insertAll(other, batch)).isInstanceOf(RuntimeException.class);
    // The business code may go on and commit in spite of the exception.
    other.commit();

    assertThat(ids(poll(T0.plusSeconds(1)))).containsExactly(taken);
  }

  @Test
  protected void R17_anIdTwiceInOneBatchIsRefused() throws SQLException {
    List<NewEvent> batch =
        List.of(
            NewEvent.unleased(event().eventId("twice").build()),
            NewEvent.unleased(event().eventId("twice").build()));

    assertThatThrownBy(() -> store().insertAll(conn, batch)).isInstanceOf(RuntimeException.class);
    assertThat(poll(T0)).isEmpty();
  }

  @Test
  protected void R2_nobodyElseSeesAnEventBeforeItsCommit() throws SQLException {
    Connection writer = openTransaction();
    EventEnvelope event = event().build();
    store().insertNew(writer, event);

    assertThat(poll(T0)).isEmpty();
    assertThat(claim(OWNER, T0)).isEmpty();
    assertThat(ids(store().pollPending(writer, T0, NO_SKIP, 10)))
        .as("the transaction itself does")
        .containsExactly(event.eventId());
    writer.commit();
    assertThat(ids(poll(T0))).containsExactly(event.eventId());
  }

  @Test
  protected void R2_aRollbackRemovesTheEvent() throws SQLException {
    Connection writer = openTransaction();
    EventEnvelope event = event().build();
    store().insertNew(writer, event);
    writer.rollback();

    assertThat(poll(T0)).isEmpty();
    assertThat(findEvent(conn, event.eventId())).isEmpty();
  }

  @Test
  protected void R2_aRollbackToASavepointRemovesWhatCameAfterIt() throws SQLException {
    Connection writer = openTransaction();
    EventEnvelope kept = event().build();
    store().insertNew(writer, kept);
    var savepoint = writer.setSavepoint();
    store().insertNew(writer, event().build());
    writer.rollback(savepoint);
    writer.commit();

    assertThat(ids(poll(T0))).containsExactly(kept.eventId());
  }

  @Test
  protected void theConnectionStaysOpenAndItsTransactionUncommitted() throws SQLException {
    String before = insert(event().build());
    Connection caller = openTransaction();
    store().insertAll(caller, List.of(NewEvent.unleased(event().build())));
    store().pollPending(caller, T0, NO_SKIP, 10);
    store().claimPending(caller, OWNER, T0, T0, NO_SKIP, 10);
    store().markDone(caller, before);

    assertThat(caller.isClosed()).isFalse();
    assertThat(caller.getAutoCommit()).isFalse();
    caller.rollback();
    assertThat(ids(poll(T0))).containsExactly(before);
    assertThat(row(before).lease()).isNull();
  }
}
