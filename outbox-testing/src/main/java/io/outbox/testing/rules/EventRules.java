package io.outbox.testing.rules;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.outbox.EventEnvelope;
import io.outbox.Outbox;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.testing.Await;
import io.outbox.testing.RecordingListener;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The rules of what arrives, when, and in which order. */
abstract class EventRules extends LeaseRules {

  @Test
  protected void R8_R10_theListenerGetsWhatWasWritten() {
    byte[] bytes = "\u0000\u00ff€".getBytes(StandardCharsets.UTF_8);
    Instant at = Instant.now().minusSeconds(3600).truncatedTo(ChronoUnit.SECONDS).plusNanos(1000);
    EventEnvelope.Builder json =
        event()
            .payloadJson("{ \"b\":1,  \"a\" : \"ü€\uD83D\uDE00\\u0041\" }")
            .occurredAt(at)
            .aggregateType("Order")
            .aggregateId("4711")
            .tenantId("tenant")
            .orderingKey("key")
            .partitionKey("partition")
            .header("trace", "a\"b\nü");
    EventEnvelope.Builder binary =
        EventEnvelope.builder(TYPE).payloadBytes(bytes, "application/x-test").occurredAt(at);
    List<EventEnvelope> written = new ArrayList<>();
    DefaultListenerRegistry all =
        new DefaultListenerRegistry().register(TYPE, listener).register("Order", TYPE, listener);
    try (Outbox outbox = singleNode().listenerRegistry(all).build()) {
      for (EventEnvelope.Builder kind : List.of(json, binary)) {
        EventEnvelope hot = kind.eventId("hot-" + written.size()).build();
        EventEnvelope cold = kind.eventId("cold-" + written.size()).build();
        write(outbox, hot);
        writeCold(cold);
        written.addAll(List.of(hot, cold));
      }
      awaitFinished();
    }
    for (EventEnvelope event : written) {
      EventEnvelope got =
          listener.deliveries().stream()
              .map(RecordingListener.Delivery::event)
              .filter(delivered -> delivered.eventId().equals(event.eventId()))
              .findFirst()
              .orElseThrow();
      assertThat(got.payloadJson()).isEqualTo(event.payloadJson());
      assertThat(got.payloadBytes()).isEqualTo(event.payloadBytes());
      assertThat(got.contentType()).isEqualTo(event.contentType());
      assertThat(got.occurredAt()).isEqualTo(event.occurredAt());
      assertThat(got.aggregateId()).isEqualTo(event.aggregateId());
      assertThat(got.tenantId()).isEqualTo(event.tenantId());
      assertThat(got.orderingKey()).isEqualTo(event.orderingKey());
      assertThat(got.partitionKey()).isEqualTo(event.partitionKey());
      assertThat(got.headers()).isEqualTo(event.headers());
    }
  }

  @Test
  protected void R11_aFailedOrDelayedEventWaitsForItsTime() {
    listener.failNext(1);
    try (Outbox outbox = singleNode().retryPolicy(attempts -> 1000).build()) {
      long before = System.nanoTime();
      String id = write(outbox);
      listener.awaitCount(1, BOUND);
      String delayed = write(outbox, event().deliverAfter(Duration.ofMillis(1000)).build());
      awaitFinished();
      // a clock may be set meanwhile, but not by half a second
      assertThat(Duration.ofNanos(System.nanoTime() - before))
          .isGreaterThan(Duration.ofMillis(500));
      assertThat(listener.deliveredIds()).containsExactlyInAnyOrder(id, id, delayed);
    }
  }

  @Test
  protected void R20_aWriterWhoseClockIsAheadDoesNotMakeItsEventWait() {
    assumeTrue(
        ask(conn -> store().currentTime(conn)).isPresent(), "the store cannot ask for the time");
    String id = writeCold(event().occurredAt(Instant.now().plusSeconds(36_000)).build());
    try (Outbox outbox = singleNode().skipRecent(Duration.ZERO).build()) {
      assertThat(outbox.isRunning()).isTrue();
      listener.awaitCount(1, BOUND);
    }
    assertThat(listener.deliveredIds()).containsExactly(id);
  }

  @Test
  protected void R24_theLagOfAFailedEventCountsFromWhenItWasFirstDue() {
    assumeTrue(ask(conn -> store().backlog(conn, 1)).isPresent(), "the store knows no backlog");
    listener.failNext(1);
    Instant before = now();
    try (Outbox outbox = singleNode().retryPolicy(attempts -> 3_600_000).build()) {
      write(outbox);
      Await.until("the failure", BOUND, () -> metrics.failures() == 1);
    }
    Instant oldest = ask(conn -> store().backlog(conn, 1)).orElseThrow().oldestWaiting();
    assertThat(oldest).isBetween(before.minusSeconds(60), before.plusSeconds(1800));
  }

  @Test
  protected void inOrderEventsAreDeliveredAsTheyWereWritten() {
    List<String> ids = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      ids.add(writeCold(event().build()));
    }
    listener.failNext(2, () -> new IllegalStateException("this delivery was told to fail"));
    try (Outbox outbox = on(Outbox.ordered()).build()) {
      assertThat(outbox.isRunning()).isTrue();
      awaitFinished();
    }
    assertThat(listener.deliveredIds().stream().distinct().toList()).isEqualTo(ids);
  }

  @Test
  protected void byKeyTheEventsOfAKeyAreDeliveredAsTheyWereWritten() {
    assumeTrue(
        store().lanes().isPresent() && isReadyForOrderByKey(), "the store is not ready for lanes");
    List<String> ids = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      ids.add(writeCold(event().orderingKey("key").build()));
    }
    listener.failNext(1);
    try (Outbox outbox = on(Outbox.orderedByKey()).retryPolicy(attempts -> 1).build()) {
      assertThat(outbox.isRunning()).isTrue();
      awaitFinished();
    }
    assertThat(listener.deliveredIds().stream().distinct().toList()).isEqualTo(ids);
  }
}
