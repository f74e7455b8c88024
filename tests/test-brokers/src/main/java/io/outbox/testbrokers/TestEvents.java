package io.outbox.testbrokers;

import io.outbox.EventEnvelope;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;

/** Events of all shapes; the n-th is always the same. */
final class TestEvents {

  static final String PUBLISHED = "OrderChanged";
  static final String SEQUENCE = "sequence";

  private static final int PAYLOAD_BYTES = 300;

  private TestEvents() {}

  static EventEnvelope published(int n) {
    EventEnvelope.Builder event =
        EventEnvelope.builder(PUBLISHED)
            .header(SEQUENCE, Integer.toString(n))
            .header("greeting", "Grüße, 世界 🎉 " + n)
            .header("percent", "100 % \"sure\"; a=b+c");
    if (n % 3 == 0) {
      event.header("long", "x".repeat(500));
    }
    switch (n % 4) {
      case 0 -> {} // neither aggregate nor key
      case 1 -> event.aggregateType("Order").aggregateId("order-" + n % 100);
      case 2 -> event.partitionKey("ключ " + n % 50);
      default -> event.aggregateType("Заказ").aggregateId("№ " + n % 70).tenantId("tenant ä");
    }
    return (n % 5 == 4 ? withBytes(event, n) : withJson(event, n)).build();
  }

  private static EventEnvelope.Builder withJson(EventEnvelope.Builder event, int n) {
    String text = "Ünïcödé 🚀 " + "x".repeat(PAYLOAD_BYTES - 60);
    return event.payloadJson("{ \"n\" : " + n + ",  \"n\": 1.0, \"text\":\"" + text + "\"}");
  }

  private static EventEnvelope.Builder withBytes(EventEnvelope.Builder event, int n) {
    byte[] bytes = new byte[PAYLOAD_BYTES];
    new Random(n).nextBytes(bytes);
    return event.payloadBytes(bytes, "application/x-protobuf");
  }

  /** Of one type, each with its own key. */
  static List<EventEnvelope> many(String type, int count) {
    return IntStream.range(0, count)
        .mapToObj(
            n ->
                EventEnvelope.builder(type)
                    .aggregateType("Order")
                    .aggregateId(type + "-" + n)
                    .payloadJson("{\"n\":" + n + "}")
                    .build())
        .toList();
  }

  /** The n-th event of a key. */
  static EventEnvelope ofKey(String key, int n) {
    return EventEnvelope.builder(PUBLISHED)
        .aggregateType("Order")
        .aggregateId(key)
        .header(SEQUENCE, Integer.toString(n))
        .payloadJson("{\"n\":" + n + "}")
        .build();
  }
}
