package io.outbox.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.outbox.EventEnvelope;
import io.outbox.spi.NewEvent;
import io.outbox.spi.PendingQuery;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class EventRefTest {

  private static final Instant AT = Instant.parse("2025-06-01T10:00:00Z");

  @Test
  void R5_aLeaseMatchesItsNumberAndOwner() {
    EventRef ref = EventRef.leased("id", new Lease("a", AT, 3));

    assertThat(ref.matches(3, "a")).isTrue();
    assertThat(ref.matches(4, "a")).isFalse();
    assertThat(ref.matches(3, "b")).isFalse();
    assertThat(ref.matches(3, null)).isFalse();
  }

  @Test
  void R5_withoutALeaseTheNumberMatches() {
    EventRef ref = EventRef.unleased("id", 0);

    assertThat(ref.matches(0, null)).isTrue();
    assertThat(ref.matches(1, "a")).isFalse();
  }

  @Test
  void anyLeaseMatches() {
    assertThat(EventRef.any("id").matches(7, "a")).isTrue();
    assertThat(EventRef.any("id").matches(0, null)).isTrue();
    assertThatNullPointerException().isThrownBy(() -> EventRef.any(null));
  }

  @Test
  void aRowIsReferredToAsItWasRead() {
    Lease lease = new Lease("a", AT, 3);
    OutboxEvent leased = OutboxEvent.builder("id", "T").createdAt(AT).lease(lease).build();
    OutboxEvent unleased = OutboxEvent.builder("id", "T").createdAt(AT).leaseNumber(2).build();
    OutboxEvent unknown = OutboxEvent.builder("id", "T").createdAt(AT).build();

    assertThat(leased.ref()).isEqualTo(EventRef.leased("id", lease));
    assertThat(leased.leaseNumber()).isEqualTo(3);
    assertThat(unleased.ref()).isEqualTo(EventRef.unleased("id", 2));
    assertThat(unknown.ref()).as("of a store without lease numbers").isEqualTo(EventRef.any("id"));
  }

  @Test
  void aRowIsReferredToWithItsNumber() {
    Lease lease = new Lease("a", AT, 3);
    assertThat(OutboxEvent.builder("id", "T").createdAt(AT).seq(9).build().ref().seq())
        .isEqualTo(9);
    EventRef leased =
        OutboxEvent.builder("id", "T").createdAt(AT).lease(lease).seq(9).build().ref();
    assertThat(leased.seq()).isEqualTo(9);
    assertThat(EventRef.any("id").seq()).isZero();
    assertThat(leased)
        .as("known without the number")
        .isEqualTo(EventRef.leased("id", lease))
        .hasSameHashCodeAs(EventRef.leased("id", lease))
        .isNotEqualTo(EventRef.leased("id", new Lease("b", AT, 3)))
        .isNotEqualTo(EventRef.leased("id", new Lease("a", AT, 4)))
        .isNotEqualTo(EventRef.leased("other", lease));
  }

  @Test
  void leasesAndNewRowsAreComplete() {
    assertThatNullPointerException().isThrownBy(() -> new Lease(null, AT, 1));
    assertThatNullPointerException().isThrownBy(() -> new Lease("a", null, 1));
    assertThatNullPointerException().isThrownBy(() -> new NewEvent(null, null));
    assertThat(NewEvent.unleased(EventEnvelope.ofJson("T", "{}")).lease()).isNull();
  }

  @Test
  void aQuerySaysFromWhenOnEventsAreTooRecent() {
    PendingQuery query = new PendingQuery(AT, Duration.ofSeconds(2), 1, AT, null, null);

    assertThat(query.createdUntil()).isEqualTo(AT.minusSeconds(2));
    assertThatThrownBy(() -> new PendingQuery(AT, Duration.ZERO, 0, AT, null, null))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("limit");
    assertThatNullPointerException()
        .isThrownBy(() -> new PendingQuery(null, Duration.ZERO, 1, AT, null, null));
  }
}
