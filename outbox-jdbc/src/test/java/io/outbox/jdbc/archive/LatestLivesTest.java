package io.outbox.jdbc.archive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.outbox.jdbc.OutboxStoreException;
import io.outbox.model.OutboxEvent;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class LatestLivesTest {

  private static final Instant AT = Instant.parse("2026-03-01T10:00:00Z");

  private final LatestLives latest = new LatestLives(2);

  private static OutboxEvent event(String id, long leaseNumber, Instant replayedAt) {
    return OutboxEvent.builder(id, "OrderPlaced")
        .createdAt(AT)
        .leaseNumber(leaseNumber)
        .replayedAt(replayedAt)
        .build();
  }

  @Test
  void theHighestLeaseNumberIsTheLatest() {
    latest.add(event("a", 4, AT));
    latest.add(event("a", 2, AT));

    assertThat(latest.has(event("a", 2, AT))).isFalse();
    assertThat(latest.has(event("a", 4, AT))).isTrue();
    assertThat(latest.has(event("b", 1, null))).isTrue();
  }

  @Test
  void onlyReplayedEventsCountAndTooManyOfThemAreRefused() {
    for (int i = 0; i < 10; i++) {
      latest.add(event("once-" + i, 1, null));
    }
    latest.add(event("a", 2, AT));
    latest.add(event("b", 2, AT));
    latest.add(event("b", 3, AT));

    assertThatThrownBy(() -> latest.add(event("c", 2, AT)))
        .isInstanceOf(OutboxStoreException.class)
        .hasMessageContaining("more than 2")
        .hasMessageContaining("replay fewer events at a time");
  }
}
