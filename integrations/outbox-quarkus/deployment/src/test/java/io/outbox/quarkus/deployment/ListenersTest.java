package io.outbox.quarkus.deployment;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.AsyncEventListener;
import io.outbox.BoundEventListener;
import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.EventListener;
import io.outbox.EventType;
import io.outbox.Outbox;
import io.outbox.OutboxWriter;
import io.outbox.annotation.OutboxListener;
import io.outbox.dispatch.EventInterceptor;
import io.outbox.model.EventStatus;
import io.outbox.operate.EventFilter;
import io.outbox.operate.OutboxOperator;
import io.outbox.quarkus.OutboxBuilderCustomizer;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.testing.Await;
import io.quarkus.narayana.jta.QuarkusTransaction;
import io.quarkus.runtime.StartupEvent;
import io.quarkus.test.QuarkusUnitTest;
import io.smallrye.mutiny.Uni;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.context.Dependent;
import jakarta.enterprise.context.RequestScoped;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import jakarta.transaction.Status;
import jakarta.transaction.TransactionSynchronizationRegistry;
import jakarta.transaction.Transactional;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What may be a listener, and how it is called. */
class ListenersTest {

  private static final Duration SOON = Duration.ofSeconds(60);

  @RegisterExtension
  static final QuarkusUnitTest APPLICATION =
      new QuarkusUnitTest()
          .withConfigurationResource("shop.properties")
          .overrideConfigKey(
              "quarkus.datasource.jdbc.url", "jdbc:h2:mem:listeners;DB_CLOSE_DELAY=-1")
          .overrideConfigKey(
              "quarkus.outbox.listeners.\"@@mail/Copied\".retry-never",
              "java.lang.IllegalStateException");

  /** What was seen, by the type of the event. */
  static final Map<String, String> SEEN = new ConcurrentHashMap<>();

  @Inject Outbox outbox;
  @Inject OutboxWriter writer;
  @Inject OutboxOperator operator;

  record Order(String id) {}

  /** By a class. */
  public static final class OrderPaid implements EventType {
    @Override
    public String name() {
      return "Paid";
    }
  }

  enum OrderEvents implements EventType {
    SHIPPED,
    LOST
  }

  /** No scope: the annotation makes it a bean. */
  static class Methods {

    @Inject Request request;

    @OutboxListener("Payload")
    void payload(Order order) {
      SEEN.put("Payload", order.id());
    }

    @OutboxListener(eventType = "Both", aggregateType = "Shop")
    DispatchResult both(EventEnvelope event, Map<String, Object> payload) {
      SEEN.put("Both", event.aggregateId() + payload.get("id"));
      return DispatchResult.done();
    }

    @OutboxListener("Text")
    void text(String json) {
      SEEN.put("Text", json);
    }

    @OutboxListener("Bytes")
    void bytes(byte[] payload) {
      SEEN.put("Bytes", new String(payload, StandardCharsets.UTF_8));
    }

    @OutboxListener("Stage")
    CompletionStage<DispatchResult> stage(EventEnvelope event) {
      SEEN.put("Stage", event.eventType());
      return CompletableFuture.completedFuture(DispatchResult.done());
    }

    @OutboxListener("Uni")
    Uni<Void> uni(EventEnvelope event) {
      return Uni.createFrom().voidItem().invoke(() -> SEEN.put("Uni", "subscribed"));
    }

    @OutboxListener(eventTypeClass = OrderPaid.class)
    void paid(Order order) {
      SEEN.put("Paid", order.id());
    }

    @OutboxListener(eventTypeClass = OrderEvents.class, eventType = "SHIPPED")
    void shipped(Order order) {
      SEEN.put("SHIPPED", order.id());
    }

    @OutboxListener("InRequest")
    void inRequest(Order order) {
      SEEN.put("InRequest", request.name());
    }
  }

  static class Copies {

    @OutboxListener(value = "Copied", subscription = "mail")
    void mail(Order order) {
      SEEN.merge("mail", order.id(), String::concat);
      throw new IllegalStateException("no mail today");
    }

    @OutboxListener(value = "Copied", subscription = "count")
    void count(Order order) {
      SEEN.merge("count", order.id(), String::concat);
    }
  }

  @RequestScoped
  static class Request {
    String name() {
      return "a request";
    }
  }

  abstract static class Base {
    @OutboxListener("Inherited")
    void inherited(Order order) {
      SEEN.put("Inherited", getClass().getSimpleName());
    }
  }

  @Dependent
  static class Heir extends Base {}

  @ApplicationScoped
  static class InTransaction {

    @Inject TransactionSynchronizationRegistry registry;
    @Inject OutboxWriter writer;

    @Transactional
    @OutboxListener("Transactional")
    void inTransaction(Order order) {
      boolean active = registry.getTransactionStatus() == Status.STATUS_ACTIVE;
      SEEN.put("Transactional", active ? "active" : "none");
      writer.write("Text", "{\"from\": \"a listener\"}");
    }
  }

  @OutboxListener("OfAClass")
  static class OfAClass implements EventListener {
    @Override
    public DispatchResult onEvent(EventEnvelope event) {
      SEEN.put("OfAClass", event.payloadJson());
      return DispatchResult.done();
    }
  }

  @OutboxListener("OfAnAsyncClass")
  @ApplicationScoped
  static class OfAnAsyncClass implements AsyncEventListener {
    @Override
    public CompletionStage<DispatchResult> onEvent(EventEnvelope event) {
      SEEN.put("OfAnAsyncClass", event.payloadJson());
      return CompletableFuture.completedFuture(null);
    }
  }

  @Singleton
  static class Bound extends BoundEventListener {

    Bound() {
      super("Shop", "Bound");
    }

    @Override
    public DispatchResult onEvent(EventEnvelope event) {
      SEEN.put("Bound", event.aggregateType());
      return DispatchResult.done();
    }
  }

  // snippet: quarkus-listener
  @ApplicationScoped
  static class OrderMails {

    @OutboxListener("OrderPlaced")
    void send(OrderPlaced order) { // the payload, read from JSON
      System.out.println("Thank you for order " + order.orderId());
    }
  }

  record OrderPlaced(String orderId) {}

  // end

  // snippet: quarkus-by-hand
  @ApplicationScoped
  static class Routes {

    void register(@Observes StartupEvent event, DefaultListenerRegistry listeners) {
      listeners.registerDefault(
          envelope -> {
            send(envelope); // your code, or a publisher
            return DispatchResult.done();
          });
    }
  }

  // end

  // snippet: quarkus-customizer
  @Singleton
  static class DeadEvents implements OutboxBuilderCustomizer {

    @Override
    public void customize(Outbox.AbstractBuilder<?> builder) {
      if (builder instanceof Outbox.DispatchingBuilder<?> dispatching) {
        dispatching.onDead((event, reason) -> alert(event.eventId(), reason));
      }
    }
  }

  // end

  private static void send(EventEnvelope event) {
    SEEN.put("Default", event.eventType());
  }

  private static void alert(String eventId, String reason) {
    SEEN.put("Dead", eventId + reason);
  }

  @Singleton
  static class Interceptor implements EventInterceptor {
    @Override
    public void beforeDispatch(EventEnvelope event) {
      SEEN.put("intercepted " + event.eventType(), "yes");
    }
  }

  @BeforeEach
  void forget() {
    SEEN.clear();
  }

  private String deliver(EventEnvelope event) {
    return deliver(event, event.eventType());
  }

  private String deliver(EventEnvelope event, String seen) {
    QuarkusTransaction.requiringNew().run(() -> writer.write(event));
    Await.until(() -> seen + ", so far " + SEEN, SOON, () -> SEEN.containsKey(seen));
    return SEEN.get(seen);
  }

  private static EventEnvelope event(String type) {
    return EventEnvelope.ofJson(type, "{\"id\":\"A-1\"}");
  }

  @Test
  void aMethodTakesThePayloadOrTheEventOrBoth() {
    EventEnvelope both =
        EventEnvelope.builder("Both")
            .aggregateType("Shop")
            .aggregateId("7:")
            .payloadJson("{\"id\":\"A-1\"}")
            .build();

    assertThat(deliver(event("Payload"))).isEqualTo("A-1");
    assertThat(deliver(both)).isEqualTo("7:A-1");
    assertThat(deliver(event("Text"))).isEqualTo("{\"id\":\"A-1\"}");
    byte[] bytes = "raw".getBytes(StandardCharsets.UTF_8);
    assertThat(deliver(EventEnvelope.builder("Bytes").payloadBytes(bytes, "text/plain").build()))
        .isEqualTo("raw");
  }

  @Test
  void aMethodMayAnswerLater() {
    assertThat(deliver(event("Stage"))).isEqualTo("Stage");
    assertThat(deliver(event("Uni"))).isEqualTo("subscribed");
    assertThat(deliver(event("OfAnAsyncClass"))).isEqualTo("{\"id\":\"A-1\"}");
  }

  @Test
  void typesMayBeNamedByClasses() {
    assertThat(deliver(event("Paid"))).isEqualTo("A-1");
    assertThat(deliver(event("SHIPPED"))).isEqualTo("A-1");
  }

  @Test
  void aMethodMayBeInheritedAndAClassMayBeAListener() {
    EventEnvelope bound =
        EventEnvelope.builder("Bound").aggregateType("Shop").payloadJson("{}").build();

    assertThat(deliver(event("Inherited"))).startsWith("Heir");
    assertThat(deliver(event("OfAClass"))).isEqualTo("{\"id\":\"A-1\"}");
    assertThat(deliver(bound)).isEqualTo("Shop");
  }

  @Test
  void aListenerHasARequestContextAndMayBeTransactional() {
    assertThat(deliver(event("InRequest"))).isEqualTo("a request");
    assertThat(deliver(event("Transactional"))).isEqualTo("active");
    assertThat(deliver(event("Transactional"), "Text")).contains("a listener");
  }

  @Test
  void subscriptionsGetTheEventEachUnderItsOwnPolicy() {
    assertThat(deliver(event("Copied"), "count")).isEqualTo("A-1");
    EventFilter dead =
        EventFilter.builder().status(EventStatus.DEAD).aggregateType("@@mail").build();
    Await.until(
        "the copy is DEAD", SOON, () -> operator.search(dead, null, 2).events().size() == 1);
    assertThat(SEEN.get("mail")).isEqualTo("A-1");
  }

  @Test
  void beansOfTheApplicationTakePart() {
    assertThat(deliver(event("NobodyElse"), "Default")).isEqualTo("NobodyElse");
    assertThat(deliver(event("Payload"), "intercepted Payload")).isEqualTo("yes");
    assertThat(deliver(EventEnvelope.ofJson("OrderPlaced", "{}"), "intercepted OrderPlaced"))
        .isEqualTo("yes");
    assertThat(outbox.isRunning()).isTrue();
    assertThat(operator.overview().outages()).isEmpty();
  }
}
