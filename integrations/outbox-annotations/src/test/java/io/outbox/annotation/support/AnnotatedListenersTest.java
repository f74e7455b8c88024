package io.outbox.annotation.support;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.outbox.AsyncEventListener;
import io.outbox.BoundEventListener;
import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.EventListener;
import io.outbox.annotation.OutboxListener;
import io.outbox.registry.DefaultListenerRegistry;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class AnnotatedListenersTest {

  @OutboxListener("Placed")
  private static class OnPlaced implements EventListener {
    @Override
    public DispatchResult onEvent(EventEnvelope event) {
      return null;
    }
  }

  @OutboxListener("Sent")
  private static class OnSent implements AsyncEventListener {
    @Override
    public CompletableFuture<DispatchResult> onEvent(EventEnvelope event) {
      return CompletableFuture.completedFuture(null);
    }
  }

  @OutboxListener("Placed")
  private static class Bound extends BoundEventListener {
    Bound() {
      super("Order", "Bound");
    }

    @Override
    public DispatchResult onEvent(EventEnvelope event) {
      return null;
    }
  }

  @OutboxListener("Placed")
  private static class NoListener {}

  private final DefaultListenerRegistry registry = new DefaultListenerRegistry();
  private final AnnotatedListeners listeners = new AnnotatedListeners(registry);

  @Test
  void beansAndMethodsAreRegistered() {
    addBean(new OnPlaced());
    addBean(new OnSent());
    Bound bound = new Bound();
    listeners.add(ListenerAddress.of(bound), bound, "bean bound");

    assertThat(registry.listenerFor("__GLOBAL__", "Placed")).isInstanceOf(OnPlaced.class);
    assertThat(registry.listenerFor("__GLOBAL__", "Sent")).isNotNull();
    assertThat(registry.listenerFor("Order", "Bound")).isSameAs(bound);
    assertThat(listeners.count()).isEqualTo(3);
  }

  @Test
  void aBeanThatIsNoListenerIsRefused() {
    assertThatThrownBy(() -> addBean(new NoListener()))
        .isInstanceOf(InvalidListenerException.class)
        .hasMessageContaining("bean NoListener has an @OutboxListener but does not implement");
    assertThatThrownBy(() -> addBean(new Bound()))
        .isInstanceOf(InvalidListenerException.class)
        .hasMessageContaining("is a BoundEventListener and has an @OutboxListener too");
  }

  @Test
  void aSecondListenerIsRefusedAndBothAreNamed() {
    ListenerMethod method = ListenerMethod.of("method onPlaced", List.of(String.class), void.class);
    OutboxListener placed = OnPlaced.class.getAnnotation(OutboxListener.class);
    addBean(new OnPlaced());

    assertThatThrownBy(
            () -> listeners.addMethod(placed, method, arguments -> null, "method onPlaced"))
        .isInstanceOf(InvalidListenerException.class)
        .hasMessageContaining(
            "two listeners for event type 'Placed': bean OnPlaced, and method onPlaced.");
  }

  @Test
  void aListenerThatWasRegisteredByHandComesFirst() {
    registry.register("Placed", event -> null);

    assertThatThrownBy(() -> addBean(new OnPlaced()))
        .isInstanceOfSatisfying(
            InvalidListenerException.class,
            e -> {
              assertThat(e.problem()).contains("one that was registered by hand, and bean");
              assertThat(e.action()).startsWith("An event has one listener.");
            });
  }

  private void addBean(Object bean) {
    OutboxListener annotation = bean.getClass().getAnnotation(OutboxListener.class);
    listeners.addBean(annotation, bean, "bean " + bean.getClass().getSimpleName());
  }
}
