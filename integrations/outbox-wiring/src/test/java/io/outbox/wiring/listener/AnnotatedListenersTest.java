package io.outbox.wiring.listener;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.outbox.AggregateType;
import io.outbox.AsyncEventListener;
import io.outbox.BoundEventListener;
import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.EventListener;
import io.outbox.policy.ListenerPolicy;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.wiring.OutboxConfigurationException;
import io.outbox.wiring.Settings;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class AnnotatedListenersTest {

  private static class OnPlaced implements EventListener {
    @Override
    public DispatchResult onEvent(EventEnvelope event) {
      return null;
    }
  }

  private static class OnSent implements AsyncEventListener {
    @Override
    public CompletableFuture<DispatchResult> onEvent(EventEnvelope event) {
      return CompletableFuture.completedFuture(null);
    }
  }

  private static class Bound extends BoundEventListener {
    Bound() {
      super("Order", "Bound");
    }

    @Override
    public DispatchResult onEvent(EventEnvelope event) {
      return null;
    }
  }

  private static class NoListener {}

  private final DefaultListenerRegistry registry = new DefaultListenerRegistry();
  private final AnnotatedListeners listeners = with(Map.of());

  private AnnotatedListeners with(Map<String, Settings.Listener> policies) {
    return new AnnotatedListeners(registry, new ListenerPolicies("shop.outbox", policies));
  }

  @Test
  void beansAndMethodsAreRegistered() {
    addBean("Placed", new OnPlaced());
    addBean("Sent", new OnSent());
    Bound bound = new Bound();
    listeners.add(bound, "bean bound");

    assertThat(registry.listenerFor("__GLOBAL__", "Placed")).isInstanceOf(OnPlaced.class);
    assertThat(registry.listenerFor("__GLOBAL__", "Sent")).isNotNull();
    assertThat(registry.listenerFor("Order", "Bound")).isSameAs(bound);
    assertThat(listeners.count()).isEqualTo(3);
  }

  @Test
  void aBeanThatIsNoListenerIsRefused() {
    assertThatThrownBy(() -> addBean("Placed", new NoListener()))
        .isInstanceOf(OutboxConfigurationException.class)
        .hasMessageContaining("bean NoListener has an @OutboxListener but does not implement");
    assertThatThrownBy(() -> addBean("Placed", new Bound()))
        .isInstanceOf(OutboxConfigurationException.class)
        .hasMessageContaining("is a BoundEventListener and has an @OutboxListener too");
  }

  @Test
  void aSecondListenerIsRefusedAndBothAreNamed() {
    addBean("Placed", new OnPlaced());

    assertThatThrownBy(() -> listeners.add(placed(null), event -> null, "method onPlaced"))
        .isInstanceOf(OutboxConfigurationException.class)
        .hasMessageContaining(
            "two listeners for event type 'Placed': bean OnPlaced, and method onPlaced.");
  }

  @Test
  void aListenerThatWasRegisteredByHandComesFirst() {
    registry.register("Placed", event -> null);

    assertThatThrownBy(() -> addBean("Placed", new OnPlaced()))
        .isInstanceOfSatisfying(
            OutboxConfigurationException.class,
            e -> {
              assertThat(e.problem()).contains("one that was registered by hand, and bean");
              assertThat(e.action()).startsWith("An event has one listener, unless");
            });
  }

  @Test
  void subscriptionsHaveTheirOwnListeners() {
    listeners.add(placed("mail"), event -> null, "method mail");
    listeners.add(placed("count"), event -> null, "method count");

    assertThat(registry.subscriptions().values()).containsExactly(Set.of("mail", "count"));
    assertThatThrownBy(() -> listeners.add(placed("mail"), event -> null, "method again"))
        .hasMessageContaining("and subscription 'mail': method mail, and method again.");
    assertThatThrownBy(() -> listeners.add(placed("a b"), event -> null, "method third"))
        .isInstanceOf(OutboxConfigurationException.class)
        .hasMessageContaining("The @OutboxListener on method third cannot be used: 'a b'");
  }

  @Test
  void theMostExactPolicyCountsAndWhatItLeavesOpenIsAsDeclared() {
    ListenerPolicies policies =
        new ListenerPolicies(
            "shop.outbox",
            Map.of(
                "Placed", attempts(3),
                "Order/Placed", attempts(4),
                "Order@@mail/Placed", attempts(5),
                "@@mail/Placed", attempts(6)));
    ListenerPolicy declared = ListenerPolicy.builder().maxAttempts(9).concurrency(2).build();

    assertThat(policy(policies, new ListenerAddress("Order", "Placed", "mail"), declared))
        .isEqualTo("ListenerPolicy[maxAttempts=5, concurrency=2]");
    assertThat(policy(policies, new ListenerAddress("Order", "Placed", "count"), null))
        .isEqualTo("ListenerPolicy[maxAttempts=4]");
    assertThat(policy(policies, placed("mail"), null)).isEqualTo("ListenerPolicy[maxAttempts=6]");
    assertThat(policy(policies, placed(null), null)).isEqualTo("ListenerPolicy[maxAttempts=3]");
    assertThat(policy(policies, new ListenerAddress("Order", "Sent", null), declared))
        .isEqualTo("ListenerPolicy[maxAttempts=9, concurrency=2]");
    EventListener plain = event -> null;
    assertThat(policies.around(plain, new ListenerAddress("Order", "Sent", null), null))
        .isSameAs(plain);
    policies.requireAllUsed();
  }

  /** What a second policy would be refused with says what the first one is. */
  private static String policy(
      ListenerPolicies policies, ListenerAddress address, ListenerPolicy declared) {
    EventListener policed = policies.around(event -> null, address, declared);
    try {
      ListenerPolicy.builder().build().around(policed);
      return "none";
    } catch (IllegalArgumentException e) {
      return e.getMessage().replaceAll(".*(ListenerPolicy.*]).*", "$1");
    }
  }

  @Test
  void aPolicyForNoListenerOrWithAWrongValueIsRefused() {
    AnnotatedListeners wrong = with(Map.of("Lost", attempts(1), "Placed", attempts(0)));

    assertThatThrownBy(() -> wrong.add(placed(null), event -> null, "method onPlaced"))
        .isInstanceOf(OutboxConfigurationException.class)
        .hasMessageContaining("shop.outbox.listeners.Placed.max-attempts cannot be used");
    assertThatThrownBy(wrong::complete)
        .isInstanceOf(OutboxConfigurationException.class)
        .hasMessageContaining("shop.outbox.listeners.Lost are for no listener");
  }

  private static Settings.Listener attempts(int attempts) {
    return new Settings.Listener(attempts, null, null, List.of(), List.of(), null, null, null);
  }

  private static ListenerAddress placed(String subscription) {
    return new ListenerAddress(AggregateType.GLOBAL.name(), "Placed", subscription);
  }

  private void addBean(String eventType, Object bean) {
    String where = "bean " + bean.getClass().getSimpleName();
    listeners.add(
        new ListenerAddress(AggregateType.GLOBAL.name(), eventType, null),
        AnnotatedListeners.listener(bean, where),
        where);
  }
}
