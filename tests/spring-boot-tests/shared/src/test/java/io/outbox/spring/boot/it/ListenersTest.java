package io.outbox.spring.boot.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.AggregateType;
import io.outbox.AsyncEventListener;
import io.outbox.BoundEventListener;
import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.EventListener;
import io.outbox.EventType;
import io.outbox.UnrecoverableException;
import io.outbox.model.EventStatus;
import io.outbox.spring.boot.OutboxListener;
import io.outbox.testing.Await;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.annotation.AliasFor;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionSynchronizationManager;

class ListenersTest {

  private static final List<String> CALLS = new CopyOnWriteArrayList<>();

  private final ApplicationContextRunner runner = Outboxes.runner();

  @BeforeEach
  void forget() {
    CALLS.clear();
  }

  private static void awaitCalls(String... expected) {
    Await.until(
        () -> "the calls " + List.of(expected) + ", there were " + CALLS,
        Outboxes.SOON,
        () -> CALLS.size() >= expected.length);
    assertThat(CALLS).containsExactlyInAnyOrder(expected);
  }

  enum Orders implements EventType {
    PLACED,
    SHIPPED
  }

  enum Aggregates implements AggregateType {
    ORDER
  }

  static class Cancelled implements EventType {
    @Override
    public String name() {
      return "order-cancelled";
    }
  }

  record Order(String id, int cents) {}

  @OutboxListener(eventType = "OrderPlaced")
  static class ByString implements EventListener {
    @Override
    public DispatchResult onEvent(EventEnvelope event) {
      CALLS.add("by string");
      return DispatchResult.done();
    }
  }

  @OutboxListener(eventType = "OrderPlaced", aggregateType = "Shop")
  static class ByTwoStrings implements EventListener {
    @Override
    public DispatchResult onEvent(EventEnvelope event) {
      CALLS.add("by two strings");
      return null;
    }
  }

  @OutboxListener(eventTypeClass = Cancelled.class, aggregateTypeClass = Aggregates.class)
  static class ByClass implements EventListener {
    @Override
    public DispatchResult onEvent(EventEnvelope event) {
      CALLS.add("by class");
      return DispatchResult.done();
    }
  }

  @OutboxListener(
      eventTypeClass = Orders.class,
      eventType = "SHIPPED",
      aggregateTypeClass = Aggregates.class,
      aggregateType = "ORDER")
  static class ByConstant implements EventListener {
    @Override
    public DispatchResult onEvent(EventEnvelope event) {
      CALLS.add("by constant");
      return DispatchResult.done();
    }
  }

  @Test
  void aClassNamesItsEventsByStringsOrClasses() {
    runner
        .withBean(ByString.class)
        .withBean(ByTwoStrings.class)
        .withBean(ByClass.class)
        .withBean(ByConstant.class)
        .run(
            context -> {
              Outboxes.write(context, "OrderPlaced", "{}");
              Outboxes.write(
                  context, event("OrderPlaced").aggregateType("Shop").aggregateId("1").build());
              Outboxes.write(
                  context, event("order-cancelled").aggregateType(Aggregates.ORDER).build());
              Outboxes.write(
                  context,
                  EventEnvelope.builder(Orders.SHIPPED)
                      .aggregateType(Aggregates.ORDER)
                      .payloadJson("{}")
                      .build());
              awaitCalls("by string", "by two strings", "by class", "by constant");
              Outboxes.awaitCounts(context, Map.of(EventStatus.DONE, 4));
            });
  }

  private static EventEnvelope.Builder event(String type) {
    return EventEnvelope.builder(type).payloadJson("{}");
  }

  static class Bound extends BoundEventListener {
    Bound() {
      super(Aggregates.ORDER, Orders.PLACED);
    }

    @Override
    public DispatchResult onEvent(EventEnvelope event) {
      CALLS.add("bound");
      return DispatchResult.done();
    }
  }

  @Test
  void aBoundListenerNeedsNoAnnotation() {
    runner
        .withBean(Bound.class)
        .run(
            context -> {
              Outboxes.write(context, event("PLACED").aggregateType("ORDER").build());
              awaitCalls("bound");
            });
  }

  @OutboxListener(eventType = "later by class")
  static class Later implements AsyncEventListener {
    @Override
    public CompletionStage<DispatchResult> onEvent(EventEnvelope event) {
      return CompletableFuture.supplyAsync(
          () -> {
            CALLS.add("later by class");
            return DispatchResult.done();
          });
    }
  }

  static class LaterMethods {
    @OutboxListener("later by method")
    CompletableFuture<Void> byMethod(Order order) {
      return CompletableFuture.runAsync(() -> CALLS.add("later " + order));
    }

    @OutboxListener("later dead")
    CompletionStage<DispatchResult> dead(EventEnvelope event) {
      return CompletableFuture.supplyAsync(() -> DispatchResult.dead("not wanted"));
    }

    @OutboxListener("never")
    CompletionStage<DispatchResult> never(EventEnvelope event) {
      return new CompletableFuture<>();
    }
  }

  @Test
  void listenersMayAnswerLater() {
    runner
        .withBean(Later.class)
        .withBean(LaterMethods.class)
        .withPropertyValues(
            "outbox.dispatcher.listener-timeout=3s",
            "outbox.dispatcher.max-in-flight=10",
            "outbox.retry.max-attempts=1")
        .run(
            context -> {
              Outboxes.write(context, "later by class", "{}");
              Outboxes.write(context, "later by method", "{\"id\":\"A-1\",\"cents\":1}");
              Outboxes.write(context, "later dead", "{}");
              Outboxes.write(context, "never", "{}");
              awaitCalls("later by class", "later Order[id=A-1, cents=1]");
              Outboxes.awaitCounts(context, Map.of(EventStatus.DONE, 2, EventStatus.DEAD, 2));
            });
  }

  static class Methods {
    @OutboxListener("envelope")
    public void envelope(EventEnvelope event) {
      CALLS.add("envelope " + event.payloadJson());
    }

    @OutboxListener("payload")
    void payload(Order order) {
      CALLS.add("payload " + order);
    }

    @OutboxListener("both")
    protected DispatchResult both(Order order, EventEnvelope event) {
      CALLS.add("both " + order.id() + " " + event.eventType());
      return DispatchResult.done();
    }

    @OutboxListener("map")
    void map(Map<String, Object> order) {
      CALLS.add("map " + order.get("id"));
    }

    @OutboxListener("text")
    void text(String json) {
      CALLS.add("text " + json);
    }

    @OutboxListener("bytes")
    void bytes(byte[] payload) {
      CALLS.add("bytes " + new String(payload, StandardCharsets.UTF_8));
    }
  }

  @Test
  void aMethodTakesWhatItNeeds() {
    String order = "{\"id\": \"A-17\",  \"cents\": 1999}";
    runner
        .withBean(Methods.class)
        .run(
            context -> {
              for (String type : List.of("envelope", "payload", "both", "map", "text")) {
                Outboxes.write(context, type, order);
              }
              Outboxes.write(
                  context,
                  EventEnvelope.builder("bytes")
                      .payloadBytes("abc".getBytes(StandardCharsets.UTF_8), "text/plain")
                      .build());
              awaitCalls(
                  "envelope " + order,
                  "payload Order[id=A-17, cents=1999]",
                  "both A-17 both",
                  "map A-17",
                  "text " + order,
                  "bytes abc");
            });
  }

  static class Failing {
    @OutboxListener("dead")
    DispatchResult dead(String json) {
      return DispatchResult.dead("no such order");
    }

    @OutboxListener("unrecoverable")
    void unrecoverable(EventEnvelope event) throws Exception {
      throw new UnrecoverableException("never");
    }

    @OutboxListener("error")
    void error(EventEnvelope event) {
      CALLS.add("error");
      throw new AssertionError("once more");
    }

    @OutboxListener("unreadable")
    void unreadable(Order order) {
      CALLS.add("never called");
    }
  }

  @Test
  void whatAMethodReturnsOrThrowsCounts() {
    runner
        .withBean(Failing.class)
        .withPropertyValues(
            "outbox.retry.max-attempts=2",
            "outbox.retry.base-delay-ms=1",
            "outbox.retry.max-delay-ms=1",
            "outbox.poller.interval-ms=20")
        .run(
            context -> {
              Outboxes.write(context, "dead", "{}");
              Outboxes.write(context, "unrecoverable", "{}");
              Outboxes.write(context, "unreadable", "[1]");
              Outboxes.write(context, "error", "{}");
              Outboxes.awaitCounts(context, Map.of(EventStatus.DEAD, 4));
              awaitCalls("error", "error");
            });
  }

  interface Invoicing {
    @OutboxListener("invoice")
    void invoice(EventEnvelope event);
  }

  static class TransactionalInvoicing implements Invoicing {
    @Override
    @Transactional
    public void invoice(EventEnvelope event) {
      CALLS.add("in a transaction: " + isInTransaction());
    }
  }

  @OutboxListener("mail")
  static class TransactionalMail implements EventListener {
    @Override
    @Transactional
    public DispatchResult onEvent(EventEnvelope event) {
      CALLS.add("mail in a transaction: " + isInTransaction());
      return DispatchResult.done();
    }
  }

  static class TransactionalMethod {
    @Transactional
    @OutboxListener("stock")
    public void stock(EventEnvelope event) {
      CALLS.add("stock in a transaction: " + isInTransaction());
    }
  }

  private static boolean isInTransaction() {
    return TransactionSynchronizationManager.isActualTransactionActive();
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aListenerIsCalledThroughItsProxy(boolean proxiesOfClasses) {
    runner
        .withBean(TransactionalInvoicing.class)
        .withBean(TransactionalMail.class)
        .withBean(TransactionalMethod.class) // has no interface
        .withPropertyValues("spring.aop.proxy-target-class=" + proxiesOfClasses)
        .run(
            context -> {
              Outboxes.write(context, "invoice", "{}");
              Outboxes.write(context, "mail", "{}");
              Outboxes.write(context, "stock", "{}");
              awaitCalls(
                  "in a transaction: true",
                  "mail in a transaction: true",
                  "stock in a transaction: true");
            });
  }

  @Lazy
  static class LazyMethods {
    LazyMethods() {
      CALLS.add("created");
    }

    @OutboxListener("lazy")
    void lazy(EventEnvelope event) {
      CALLS.add("called");
    }
  }

  @Test
  void aLazyBeanListensToo() {
    runner
        .withBean(LazyMethods.class, LazyMethods::new, definition -> definition.setLazyInit(true))
        .run(
            context -> {
              Outboxes.write(context, "lazy", "{}");
              awaitCalls("created", "called");
            });
  }

  @OutboxListener("hidden")
  static class Hidden implements EventListener {
    @Override
    public DispatchResult onEvent(EventEnvelope event) {
      CALLS.add("hidden");
      return DispatchResult.done();
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class LazyBehindItsInterface {
    @Bean
    @Lazy
    EventListener listener() {
      return new Hidden();
    }
  }

  @Test
  void aLazyBeanBehindItsInterfaceListensToo() {
    runner
        .withUserConfiguration(LazyBehindItsInterface.class)
        .run(
            context -> {
              Outboxes.write(context, "hidden", "{}");
              awaitCalls("hidden");
            });
  }

  @Retention(RetentionPolicy.RUNTIME)
  @OutboxListener(aggregateType = "ORDER")
  @interface OrderListener {
    @AliasFor(annotation = OutboxListener.class, attribute = "eventType")
    String value();
  }

  static class Composed {
    @OrderListener("PLACED")
    void placed(EventEnvelope event) {
      CALLS.add("composed");
    }
  }

  @Test
  void theAnnotationCanBePartOfAnother() {
    runner
        .withBean(Composed.class)
        .run(
            context -> {
              Outboxes.write(context, event("PLACED").aggregateType("ORDER").build());
              awaitCalls("composed");
            });
  }

  static class Chained {
    private final ApplicationContext context;

    Chained(ApplicationContext context, io.outbox.OutboxWriter writer) {
      this.context = context;
      assertThat(writer).isNotNull();
    }

    @OutboxListener("first")
    void first(String json) {
      CALLS.add("first");
      Outboxes.write(context, "second", json);
    }

    @OutboxListener("second")
    void second(String json) {
      CALLS.add("second");
    }
  }

  @Test
  void aListenerMayWriteEvents() {
    runner
        .withBean(Chained.class)
        .run(
            context -> {
              Outboxes.write(context, "first", "{}");
              awaitCalls("first", "second");
            });
  }
}
