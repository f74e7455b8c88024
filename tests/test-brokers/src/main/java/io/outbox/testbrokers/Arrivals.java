package io.outbox.testbrokers;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.AggregateType;
import io.outbox.EventEnvelope;
import io.outbox.testing.Await;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** Collects messages that arrive at the broker, on a separate thread. */
final class Arrivals implements AutoCloseable {

  private static final Duration BOUND = Duration.ofMinutes(2);

  private final PublisherFixture fixture;
  private final Map<String, ReceivedMessage> byId = new ConcurrentHashMap<>();
  private final List<ReceivedMessage> inOrder = new ArrayList<>();
  private final Thread reader = new Thread(this::read, "arrivals");
  private volatile boolean closed;
  private volatile Exception failure;

  Arrivals(PublisherFixture fixture) {
    this.fixture = fixture;
    reader.start();
  }

  private void read() {
    while (!closed) {
      try {
        for (ReceivedMessage message : fixture.receive()) {
          synchronized (inOrder) {
            inOrder.add(message);
          }
          byId.putIfAbsent(message.header("outbox-event-id"), message);
        }
      } catch (Exception e) {
        failure = e;
        return;
      }
    }
  }

  /** How many events have arrived, each counted once. */
  int count() {
    assertThat(failure).as("the consumer's failure").isNull();
    return byId.size();
  }

  List<ReceivedMessage> inOrder() {
    synchronized (inOrder) {
      return List.copyOf(inOrder);
    }
  }

  /** Waits for all these events and compares them with what arrived. */
  void verify(Collection<EventEnvelope> events) {
    Await.until(events.size() + " events to arrive", BOUND, () -> count() >= events.size());
    assertThat(byId.keySet())
        .as("the events that arrived")
        .containsAll(events.stream().map(EventEnvelope::eventId).toList());
    events.forEach(event -> verify(event, byId.get(event.eventId())));
  }

  private void verify(EventEnvelope event, ReceivedMessage message) {
    byte[] payload =
        event.payloadJson() == null
            ? event.payloadBytes()
            : event.payloadJson().getBytes(StandardCharsets.UTF_8);
    assertThat(message.body()).as("payload of %s", event).isEqualTo(payload);
    assertThat(message.headers())
        .as("headers of %s", event)
        .containsAllEntriesOf(event.headers())
        .containsEntry("outbox-event-id", event.eventId())
        .containsEntry("outbox-event-type", event.eventType())
        .containsEntry("outbox-occurred-at", event.occurredAt().toString())
        .containsEntry("content-type", event.contentType());
    boolean global = event.aggregateType().equals(AggregateType.GLOBAL.name());
    verifyHeader(message, "outbox-aggregate-type", global ? null : event.aggregateType());
    verifyHeader(message, "outbox-aggregate-id", event.aggregateId());
    verifyHeader(message, "outbox-tenant-id", event.tenantId());
    if (fixture.carriesKeys()) {
      assertThat(message.key()).as("key of %s", event).isEqualTo(event.partitionKeyOrDefault());
    }
  }

  private static void verifyHeader(ReceivedMessage message, String name, String value) {
    assertThat(Optional.ofNullable(message.header(name)))
        .as("header %s", name)
        .isEqualTo(Optional.ofNullable(value));
  }

  @Override
  public void close() {
    closed = true;
    try {
      reader.join(BOUND.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
