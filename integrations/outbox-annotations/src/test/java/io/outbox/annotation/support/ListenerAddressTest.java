package io.outbox.annotation.support;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.outbox.AggregateType;
import io.outbox.EventType;
import io.outbox.annotation.OutboxListener;
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

  @OutboxListener("OrderPlaced")
  private static final class ByValue {}

  @OutboxListener(eventType = "OrderPlaced", aggregateType = "Order")
  private static final class ByNames {}

  @OutboxListener(
      eventTypeClass = Orders.class,
      eventType = "SHIPPED",
      aggregateTypeClass = Only.class)
  private static final class ByEnums {}

  @OutboxListener(eventTypeClass = Renamed.class)
  private static final class ByClass {}

  @OutboxListener
  private static final class Empty {}

  @OutboxListener(value = "A", eventType = "B")
  private static final class TwoNames {}

  @OutboxListener(eventTypeClass = Orders.class)
  private static final class NoConstant {}

  @OutboxListener(value = "LOST", eventTypeClass = Orders.class)
  private static final class WrongConstant {}

  @OutboxListener(value = "other", eventTypeClass = Renamed.class)
  private static final class NameAndClass {}

  @OutboxListener(eventTypeClass = Nameless.class)
  private static final class Blank {}

  @OutboxListener(eventTypeClass = NotConstructible.class)
  private static final class NoConstructor {}

  @Test
  void aStringNamesTheEventType() {
    assertThat(of(ByValue.class)).isEqualTo(new ListenerAddress("__GLOBAL__", "OrderPlaced"));
    assertThat(of(ByNames.class)).isEqualTo(new ListenerAddress("Order", "OrderPlaced"));
    assertThat(of(ByValue.class)).hasToString("event type 'OrderPlaced'");
    assertThat(of(ByNames.class))
        .hasToString("aggregate type 'Order' and event type 'OrderPlaced'");
  }

  @Test
  void aClassNamesTheEventType() {
    assertThat(of(ByEnums.class)).isEqualTo(new ListenerAddress("ORDER", "SHIPPED"));
    assertThat(of(ByClass.class)).isEqualTo(new ListenerAddress("__GLOBAL__", "order.renamed"));
  }

  @Test
  void whatNamesNoTypeIsRefusedWithARemedy() {
    assertRefused(Empty.class, "has no event type. Name an event type, as in @OutboxListener(");
    assertRefused(TwoNames.class, "two event types, 'A' and 'B'. Remove one of them");
    assertRefused(NoConstant.class, "but not which constant. Name a constant", "PLACED, SHIPPED");
    assertRefused(WrongConstant.class, "which has no LOST.");
    assertRefused(NameAndClass.class, "'order.renamed'", "'other'", "Remove one of the two.");
    assertRefused(Blank.class, "whose name() is blank. Let name() return the event type.");
    assertRefused(NoConstructor.class, "cannot be instantiated", "name the type by a string.");
  }

  private static void assertRefused(Class<?> type, String... parts) {
    assertThatThrownBy(() -> of(type))
        .isInstanceOf(InvalidListenerException.class)
        .hasMessageContaining("The @OutboxListener on " + type.getSimpleName())
        .hasMessageContainingAll(parts);
  }

  private static ListenerAddress of(Class<?> type) {
    return ListenerAddress.of(type.getAnnotation(OutboxListener.class), type.getSimpleName());
  }
}
