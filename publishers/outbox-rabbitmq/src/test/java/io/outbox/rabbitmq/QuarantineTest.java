package io.outbox.rabbitmq;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class QuarantineTest {

  private final Quarantine quarantine = new Quarantine();
  private final Outgoing orders = to("orders", "1");
  private final Outgoing bills = to("bills", "2");

  @Test
  void onlyTheExchangeThatIsNamedIsSuspect() {
    quarantine.suspect("404 NOT_FOUND - no exchange 'bills' in vhost '/'", List.of(orders, bills));
    assertThat(quarantine.holds(orders)).isFalse();
    assertThat(quarantine.holds(bills)).isTrue();
    assertThat(quarantine.holds(to("bills", "3"))).isTrue();
  }

  @Test
  void whenNoneIsNamedAllThatWereThereAreSuspect() {
    quarantine.suspect("406 PRECONDITION_FAILED - too large", List.of(orders, bills));
    assertThat(quarantine.holds(orders)).isTrue();
    assertThat(quarantine.holds(bills)).isTrue();
    assertThat(quarantine.holds(to("bills", "3"))).isFalse();
  }

  @Test
  void whatTheBrokerTookClearsItsExchangeToo() {
    quarantine.suspect("404 'bills'", List.of(bills));
    quarantine.convict(bills);
    assertThat(quarantine.holds(bills)).as("refused: still suspect").isTrue();
    quarantine.acquit(bills);
    assertThat(quarantine.holds(bills)).isFalse();
  }

  @Test
  void itsSizeIsBounded() {
    for (int i = 0; i < 30; i++) {
      int part = i;
      quarantine.suspect(
          "406", IntStream.range(0, 1_000).mapToObj(n -> to("orders", part + "-" + n)).toList());
    }
    assertThat(quarantine.holds(to("orders", "29-999"))).isTrue();
    assertThat(quarantine.holds(to("orders", "0-0"))).as("forgotten").isFalse();
  }

  private static Outgoing to(String exchange, String eventId) {
    return new Outgoing(eventId, exchange, "key", null, new byte[0], false);
  }
}
