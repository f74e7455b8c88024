package io.outbox.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.Outbox;
import io.outbox.OutboxWriter;
import io.outbox.testdb.TestDatabase;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TimeZone;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Timeout;

/** R8 and R10: a listener gets what was written, to the byte and to the microsecond. */
@Timeout(300)
class PayloadTest {

  private static final List<String> PAYLOADS =
      List.of(
          "{}",
          " { \"b\" : 1 ,\n\t\"a\" : 2 } \r\n",
          "{\"twice\":1,\"twice\":2}",
          "[1.0, 1.00, 1e2, -0, 0.1000000000000000055511151231257827, 12345678901234567890123]",
          "\"\\u00e9 \\/ \\\\ \\\" \\n é 漢 🙈 \u2028\"",
          "[".repeat(200) + "]".repeat(200),
          "null",
          "true",
          "\"\"",
          "{\"\":\"\",\" \":\"'; DROP TABLE outbox_event; --\",\"?\":\"$1 :x %s\"}",
          "\"" + "é".repeat(EventEnvelope.MAX_PAYLOAD_BYTES / 2 - 1) + "\"");

  private static List<EventEnvelope> allKinds() {
    List<EventEnvelope> events = new ArrayList<>();
    PAYLOADS.forEach(json -> events.add(EventEnvelope.ofJson(Scenario.TYPE, json)));
    byte[] bytes = new byte[512];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) i;
    }
    events.add(
        EventEnvelope.builder(Scenario.TYPE)
            .payloadBytes(bytes, "application/octet-stream")
            .build());
    events.add(
        EventEnvelope.builder("Größe 🙈")
            .aggregateType("Ünique")
            .aggregateId(" a'b\\c ")
            .tenantId("TENANT")
            .header("b", "2")
            .header("a", "é\"\\\n🙈")
            .header("", "")
            .orderingKey("key 1")
            .partitionKey("key 2")
            .payloadJson("{}")
            .build());
    return events;
  }

  @EachDatabase
  void R8_anEventIsDeliveredByteForByteOnBothPaths(TestDatabase kind) {
    try (Scenario scenario = Scenario.on(kind)) {
      Outbox hot = scenario.start(scenario.singleNode().skipRecent(Duration.ofMinutes(1)));
      assertDeliveredAsWritten(scenario, hot.writer());
      hot.close();
      scenario.start(scenario.singleNode().intervalMs(20));
      assertDeliveredAsWritten(scenario, scenario.coldWriter());
    }
  }

  private static void assertDeliveredAsWritten(Scenario scenario, OutboxWriter writer) {
    List<EventEnvelope> events = allKinds();
    List<String> ids = scenario.write(writer, events);
    await().until(() -> ids.stream().allMatch(scenario.deliveries::has));
    for (EventEnvelope written : events) {
      assertThat(scenario.deliveries.events())
          .filteredOn(delivered -> delivered.eventId().equals(written.eventId()))
          .singleElement()
          .usingRecursiveComparison()
          .ignoringFields("values.payloadSize")
          .isEqualTo(written);
    }
  }

  @EachDatabase
  void R10_theTimeZoneOfNoProcessMatters(TestDatabase kind) {
    TimeZone original = TimeZone.getDefault();
    TimeZone.setDefault(TimeZone.getTimeZone("Asia/Kolkata"));
    try (Scenario scenario = Scenario.on(kind)) {
      // as a local time in Berlin, this one does not exist
      Instant occurred = Instant.parse("2025-03-30T02:30:00.123456789Z");
      EventEnvelope old =
          EventEnvelope.builder(Scenario.TYPE).occurredAt(occurred).payloadJson("{}").build();
      EventEnvelope delayed =
          EventEnvelope.builder(Scenario.TYPE)
              .deliverAfter(Duration.ofMillis(500))
              .payloadJson("{}")
              .build();
      scenario.write(scenario.coldWriter(), List.of(old, delayed));

      TimeZone.setDefault(TimeZone.getTimeZone("Europe/Berlin"));
      Map<String, Instant> deliveredAt = new ConcurrentHashMap<>();
      scenario.deliveries.then(
          event -> {
            deliveredAt.put(event.eventId(), scenario.databaseTime());
            return DispatchResult.done();
          });
      try (Node berlin = new Node(scenario, "berlin")) {
        berlin.start(Outbox.singleNode(), scenario.deliveries);
        scenario.awaitAllDone(2);
      }
      assertThat(scenario.deliveries.events())
          .extracting(EventEnvelope::occurredAt)
          .containsExactlyInAnyOrder(
              Instant.parse("2025-03-30T02:30:00.123456Z"), delayed.occurredAt());
      assertThat(deliveredAt.get(delayed.eventId()))
          .isBetween(delayed.availableAt(), delayed.availableAt().plusSeconds(300));
    } finally {
      TimeZone.setDefault(original);
    }
  }
}
