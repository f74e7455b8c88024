package io.outbox.wiring.listener;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.outbox.AggregateType;
import io.outbox.EventType;
import io.outbox.wiring.OutboxConfigurationException;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

class ListenerAddressTest {

  enum Orders implements EventType {
    PLACED,
    SHIPPED
  }

  enum Only implements AggregateType {
    ORDER
  }

  static final class Renamed implements EventType {
    @Override
    public String name() {
      return "order.renamed";
    }
  }

  static final class Nameless implements EventType {
    @Override
    public String name() {
      return " ";
    }
  }

  record NotConstructible(String name) implements EventType {}

  @Test
  void aStringNamesTheEventType() {
    ListenerAddress byValue = of("OrderPlaced", EventType.class);
    ListenerAddress byNames =
        ListenerAddress.of("X", "OrderPlaced", EventType.class, "Order", AggregateType.class, "");

    assertThat(byValue).isEqualTo(new ListenerAddress("__GLOBAL__", "OrderPlaced", null));
    assertThat(byNames).isEqualTo(new ListenerAddress("Order", "OrderPlaced", null));
    assertThat(byValue).hasToString("event type 'OrderPlaced'");
    assertThat(byNames).hasToString("aggregate type 'Order' and event type 'OrderPlaced'");
    assertThat(ListenerAddress.eventType("X", "A", "")).isEqualTo("A");
    assertThat(ListenerAddress.eventType("X", "", "A")).isEqualTo("A");
  }

  @Test
  void aClassNamesTheEventType() {
    assertThat(ListenerAddress.of("X", "SHIPPED", Orders.class, "", Only.class, "mail"))
        .isEqualTo(new ListenerAddress("ORDER", "SHIPPED", "mail"))
        .hasToString("aggregate type 'ORDER' and event type 'SHIPPED' and subscription 'mail'");
    assertThat(of("", Renamed.class))
        .isEqualTo(new ListenerAddress("__GLOBAL__", "order.renamed", null));
  }

  @Test
  void whatNamesNoTypeIsRefusedWithARemedy() {
    assertRefused(
        () -> of("", EventType.class),
        "has no event type. Name an event type, as in @OutboxListener(");
    assertRefused(
        () -> ListenerAddress.eventType("X", "A", "B"),
        "two event types, 'A' and 'B'. Remove one of them");
    assertRefused(
        () -> of("", Orders.class), "but not which constant. Name a constant", "PLACED, SHIPPED");
    assertRefused(() -> of("LOST", Orders.class), "which has no LOST.");
    assertRefused(
        () -> of("other", Renamed.class), "'order.renamed'", "'other'", "Remove one of the two.");
    assertRefused(
        () -> of("", Nameless.class), "whose name() is blank. Let name() return the event type.");
    assertRefused(
        () -> of("", NotConstructible.class),
        "cannot be instantiated",
        "name the type by a string.");
  }

  private static void assertRefused(ThrowingCallable reading, String... parts) {
    assertThatThrownBy(reading)
        .isInstanceOf(OutboxConfigurationException.class)
        .hasMessageContaining("The @OutboxListener on X")
        .hasMessageContainingAll(parts);
  }

  private static ListenerAddress of(String eventType, Class<? extends EventType> type) {
    return ListenerAddress.of("X", eventType, type, "", AggregateType.class, "");
  }
}
