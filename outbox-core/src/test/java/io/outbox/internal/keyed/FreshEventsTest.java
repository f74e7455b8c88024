package io.outbox.internal.keyed;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.EventEnvelope;
import io.outbox.internal.queue.Delivery;
import io.outbox.model.EventKey;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class FreshEventsTest {

  private static final EventKey A = EventKey.named("a");
  private static final EventKey B = EventKey.named("b");
  private static final EventKey C = EventKey.named("c");

  private static EventEnvelope event(String payload) {
    return EventEnvelope.builder("Tested").payloadJson(payload).build();
  }

  @Test
  void theLastEventOfAKeyIsHandedOutOnce() {
    FreshEvents fresh = new FreshEvents(10, 100_000);
    EventEnvelope last = event("2");
    fresh.committed(A, event("1"));
    fresh.committed(A, last);

    assertThat(fresh.take(Set.of(A, B))).containsOnlyKeys(A).containsEntry(A, last);
    assertThat(fresh.take(Set.of(A, B))).isEmpty();
  }

  @Test
  void R13_ofTooManyTheOldestAreForgotten() {
    FreshEvents fresh = new FreshEvents(2, 100_000);
    fresh.committed(A, event("1"));
    fresh.committed(B, event("1"));
    fresh.committed(A, event("2"));
    fresh.committed(C, event("1"));

    assertThat(fresh.take(Set.of(A, B, C))).containsOnlyKeys(A, C);
  }

  @Test
  void R13_ofTooManyBytesTheOldestAreForgotten() {
    EventEnvelope large = event("\"" + "x".repeat(1000) + "\"");
    FreshEvents fresh = new FreshEvents(10, 2 * Delivery.bytesOf(large));
    fresh.committed(A, large);
    fresh.committed(B, large);
    fresh.committed(C, large);
    assertThat(fresh.take(Set.of(A, B, C))).containsOnlyKeys(B, C);

    fresh.committed(A, large);
    fresh.committed(B, large);
    assertThat(fresh.take(Set.of(A, B))).as("the room was given back").containsOnlyKeys(A, B);
    fresh.committed(C, event("\"" + "x".repeat(5000) + "\""));
    assertThat(fresh.take(Set.of(C))).isEmpty();
  }

  /** Somebody may have changed the row since. */
  @Test
  void R8_anEventIsForgottenAfterASecond() {
    AtomicLong now = new AtomicLong();
    FreshEvents fresh = new FreshEvents(10, 100_000, now::get);
    fresh.committed(A, event("1"));
    now.addAndGet(500_000_000);
    fresh.committed(B, event("1"));
    now.addAndGet(500_000_000);

    assertThat(fresh.take(Set.of(A, B))).containsOnlyKeys(B);
  }
}
