package io.outbox.registry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import io.outbox.AggregateType;
import io.outbox.BoundEventListener;
import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.EventListener;
import io.outbox.EventType;
import io.outbox.model.EventRoute;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class DefaultListenerRegistryTest {

  private enum Types implements EventType {
    PLACED
  }

  private enum Aggregates implements AggregateType {
    ORDER
  }

  private static EventListener listener() {
    return new EventListener() {
      @Override
      public DispatchResult onEvent(EventEnvelope event) {
        return DispatchResult.done();
      }
    };
  }

  private final DefaultListenerRegistry registry = new DefaultListenerRegistry();
  private final EventListener one = listener();
  private final EventListener other = listener();

  @Test
  void aListenerIsFoundByItsPair() {
    registry.register("Order", "Placed", one).register("Order", "Paid", other);

    assertThat(registry.listenerFor("Order", "Placed")).isSameAs(one);
    assertThat(registry.listenerFor("Order", "Paid")).isSameAs(other);
    assertThat(registry.listenerFor("Customer", "Placed")).isNull();
    assertThat(registry.listenerFor("__GLOBAL__", "Placed")).isNull();
  }

  @Test
  void withoutAnAggregateTypeItIsTheGlobalOne() {
    registry.register("Placed", one).register(Types.PLACED, other);

    assertThat(registry.listenerFor("__GLOBAL__", "Placed")).isSameAs(one);
    assertThat(registry.listenerFor(AggregateType.GLOBAL.name(), "PLACED")).isSameAs(other);
  }

  @Test
  void typesGiveTheirNames() {
    registry.register(Aggregates.ORDER, Types.PLACED, one);

    assertThat(registry.listenerFor("ORDER", "PLACED")).isSameAs(one);
  }

  @Test
  void aBoundListenerBringsItsPair() {
    BoundEventListener bound =
        new BoundEventListener("Order", "Placed") {
          @Override
          public DispatchResult onEvent(EventEnvelope event) {
            return DispatchResult.done();
          }
        };
    registry.register(bound);

    assertThat(registry.listenerFor("Order", "Placed")).isSameAs(bound);
  }

  @Test
  void namesWithColonsDoNotClash() {
    registry.register("a:b", "c", one).register("a", "b:c", other);

    assertThat(registry.listenerFor("a:b", "c")).isSameAs(one);
    assertThat(registry.listenerFor("a", "b:c")).isSameAs(other);
  }

  @Test
  void defaultsTakeWhatNobodyElseTakes() {
    EventListener ofOrders = listener();
    registry
        .register("Order", "Placed", one)
        .registerDefault("Order", ofOrders)
        .registerDefault(other);

    assertThat(registry.listenerFor("Order", "Placed")).isSameAs(one);
    assertThat(registry.listenerFor("Order", "Paid")).isSameAs(ofOrders);
    assertThat(registry.listenerFor("Customer", "Placed")).isSameAs(other);
  }

  @Test
  void R17_aPairHasOneListener() {
    registry.register("Order", "Placed", one).registerDefault(one).registerDefault("Order", one);

    assertThatIllegalStateException()
        .isThrownBy(() -> registry.register("Order", "Placed", other))
        .withMessageContaining("'Order'")
        .withMessageContaining("'Placed'");
    assertThatIllegalStateException().isThrownBy(() -> registry.registerDefault(other));
    assertThatIllegalStateException().isThrownBy(() -> registry.registerDefault("Order", other));
    assertThat(registry.listenerFor("Order", "Placed")).isSameAs(one);
  }

  @Test
  void R17_nullIsRefused() {
    assertThatNullPointerException().isThrownBy(() -> registry.register("Placed", null));
    assertThatNullPointerException().isThrownBy(() -> registry.register((String) null, one));
    assertThatNullPointerException().isThrownBy(() -> registry.register((EventType) null, one));
    assertThatNullPointerException().isThrownBy(() -> registry.register(null, "Placed", one));
    assertThatNullPointerException().isThrownBy(() -> registry.register(null));
    assertThatNullPointerException().isThrownBy(() -> registry.registerDefault(null));
    assertThatNullPointerException().isThrownBy(() -> registry.registerDefault(null, one));
  }

  @Test
  void subscriptionsHaveListenersOfTheirOwn() {
    registry
        .subscribe("Order", "Placed", "mail", one)
        .subscribe("Order", "Placed", "kafka", other)
        .subscribe("Paid", "mail", one)
        .registerDefault(other);

    assertThat(registry.subscriptions())
        .isEqualTo(
            Map.of(
                new EventRoute("Order", "Placed"),
                Set.of("mail", "kafka"),
                new EventRoute(AggregateType.GLOBAL.name(), "Paid"),
                Set.of("mail")));
    assertThat(registry.listenerFor("Order@@mail", "Placed"))
        .isNotNull()
        .isSameAs(registry.listenerFor("@@mail", "Paid"))
        .isNotSameAs(registry.listenerFor("Order@@kafka", "Placed"));
    assertThat(registry.listenerFor("Order", "Placed")).isNotNull().isNotSameAs(other);
  }

  @Test
  void aCopyForAnUnknownSubscriptionIsNotForADefaultListener() {
    registry.registerDefault(one).registerDefault("Order@@webhook", other);

    assertThat(registry.listenerFor("Order@@webhook", "Placed")).isNull();
    assertThat(registry.mayHaveListenerFor("Order@@webhook", "Placed")).isFalse();
    assertThat(registry.listenerFor("a@@", "Placed")).isSameAs(one);
  }

  @Test
  void eventsAreEitherRegisteredForOrSubscribedTo() {
    registry.register("Order", "Placed", one).subscribe("Order", "Paid", "mail", one);

    assertThatIllegalStateException()
        .isThrownBy(() -> registry.subscribe("Order", "Placed", "mail", other))
        .withMessageContaining("registered listener for event type 'Placed'");
    assertThat(registry.listenerFor("Order@@mail", "Placed")).isNull();
    assertThatIllegalStateException().isThrownBy(() -> registry.register("Order", "Paid", other));
    assertThatIllegalStateException()
        .isThrownBy(() -> registry.subscribe("Order", "Paid", "mail", other));
  }

  @Test
  void aNameMustFit() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> registry.subscribe("Order", "Placed", "send mail", one))
        .withMessageContaining("use letters, digits");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> registry.subscribe("Order", "Placed", "m".repeat(58), one))
        .withMessageContaining("too long");
    registry.subscribe("Order", "Placed", "m".repeat(57), one);
  }
}
