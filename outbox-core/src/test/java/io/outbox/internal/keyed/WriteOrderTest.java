package io.outbox.internal.keyed;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.EventEnvelope;
import io.outbox.model.EventKey;
import io.outbox.model.OutboxEvent;
import io.outbox.spi.lanes.Lane;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class WriteOrderTest {

  private static final EventKey KEY = EventKey.named("key");
  private static final Lane LANE = new Lane(KEY.lane(), 1);

  private final WriteOrder order = new WriteOrder();
  private final KeyedDelivery first = done(1);
  private final KeyedDelivery second = done(2);
  private final KeyedDelivery third = done(3);

  private KeyedDelivery done(long seq) {
    OutboxEvent row =
        OutboxEvent.builder("e" + seq, "T")
            .orderingKey(KEY.name())
            .payloadJson("{}")
            .createdAt(Instant.EPOCH)
            .seq(seq)
            .build();
    KeyedDelivery delivery = new KeyedDelivery(row, KEY, LANE, EventEnvelope.fromRow(row), null);
    delivery.entered(LANE);
    order.add(delivery);
    return delivery;
  }

  private Set<KeyedDelivery> writable(KeyedDelivery... asked) {
    Set<KeyedDelivery> writable = new HashSet<>();
    order.addWritable(new HashSet<>(List.of(asked)), writable);
    return writable;
  }

  @Test
  void theFirstOnesAreWrittenTogether() {
    assertThat(writable(first, second)).containsExactlyInAnyOrder(first, second);
    assertThat(writable(first, third)).containsExactly(first);
  }

  @Test
  void nothingIsWrittenBeforeWhatWasDoneBefore() {
    assertThat(writable(second, third)).isEmpty();

    order.remove(first);
    assertThat(writable(second, third)).containsExactlyInAnyOrder(second, third);
  }

  @Test
  void theNextMayStartIfAllBeforeItIsWrittenInTheSameTerm() {
    assertThat(order.belongsTo(LANE)).isTrue();
    assertThat(order.belongsTo(new Lane(KEY.lane(), 2))).isFalse();

    order.revoke();
    assertThat(order.belongsTo(LANE)).isFalse();

    List.of(first, second, third).forEach(order::remove);
    assertThat(order.isEmpty()).isTrue();
    assertThat(order.belongsTo(new Lane(KEY.lane(), 2))).isTrue();
  }
}
