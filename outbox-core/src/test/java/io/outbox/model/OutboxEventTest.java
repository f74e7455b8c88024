package io.outbox.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Instant;
import org.junit.jupiter.api.Test;

class OutboxEventTest {

  private static final Instant AT = Instant.parse("2025-06-01T10:00:00Z");

  @Test
  void aRowHasWhatItWasGiven() {
    Lease lease = new Lease("owner", AT, 5);
    byte[] bytes = {1};
    OutboxEvent row =
        OutboxEvent.builder("id", "Type")
            .aggregate("Order", "7")
            .tenantId("tenant")
            .payloadJson("{}")
            .payloadBytes(bytes, "a/b")
            .headersJson("{}")
            .orderingKey("o")
            .partitionKey("p")
            .status(EventStatus.RETRY)
            .attempts(1)
            .availableAt(AT.plusSeconds(1))
            .createdAt(AT)
            .doneAt(AT.plusSeconds(2))
            .lastError("why")
            .lease(lease)
            .seq(2)
            .claims(3)
            .starts(4)
            .build();

    assertThat(row.eventId()).isEqualTo("id");
    assertThat(row.eventType()).isEqualTo("Type");
    assertThat(row.aggregateType()).isEqualTo("Order");
    assertThat(row.aggregateId()).isEqualTo("7");
    assertThat(row.tenantId()).isEqualTo("tenant");
    assertThat(row.payloadJson()).isEqualTo("{}");
    assertThat(row.payloadBytes()).isSameAs(bytes);
    assertThat(row.contentType()).isEqualTo("a/b");
    assertThat(row.headersJson()).isEqualTo("{}");
    assertThat(row.orderingKey()).isEqualTo("o");
    assertThat(row.partitionKey()).isEqualTo("p");
    assertThat(row.status()).isEqualTo(EventStatus.RETRY);
    assertThat(row.attempts()).isEqualTo(1);
    assertThat(row.availableAt()).isEqualTo(AT.plusSeconds(1));
    assertThat(row.createdAt()).isEqualTo(AT);
    assertThat(row.doneAt()).isEqualTo(AT.plusSeconds(2));
    assertThat(row.lastError()).isEqualTo("why");
    assertThat(row.lease()).isEqualTo(lease);
    assertThat(row.leaseNumber()).isEqualTo(5);
    assertThat(row.seq()).isEqualTo(2);
    assertThat(row.claims()).isEqualTo(3);
    assertThat(row.starts()).isEqualTo(4);
    assertThat(row).hasToString("OutboxEvent[id, Type, RETRY]");
  }

  @Test
  void aRowNeedsAnIdATypeAndATime() {
    assertThatNullPointerException().isThrownBy(() -> OutboxEvent.builder(null, "T"));
    assertThatNullPointerException().isThrownBy(() -> OutboxEvent.builder("id", null));
    assertThatNullPointerException().isThrownBy(() -> OutboxEvent.builder("id", "T").build());
  }

  @Test
  void aBuilderMakesOneRow() {
    OutboxEvent.Builder builder = OutboxEvent.builder("id", "T").createdAt(AT);
    builder.build();
    assertThatThrownBy(builder::build).isInstanceOf(IllegalStateException.class);
  }
}
