package io.outbox.spring.events;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.outbox.EventEnvelope;
import io.outbox.EventType;
import io.outbox.OutboxWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.springframework.context.ApplicationEvent;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.EventListener;
import org.springframework.context.event.SimpleApplicationEventMulticaster;
import org.springframework.context.support.AbstractApplicationContext;
import org.springframework.core.annotation.Order;
import org.springframework.util.ErrorHandler;

/** What becomes of a published event, in Spring without Spring Boot. */
class OutboxEventRecorderTest {

  /** Keeps what is written. */
  private static class Writer implements OutboxWriter {
    final List<EventEnvelope> events = new ArrayList<>();
    final List<Thread> threads = new ArrayList<>();

    @Override
    public String write(EventEnvelope event) {
      events.add(event);
      threads.add(Thread.currentThread());
      return event.eventId();
    }

    @Override
    public String write(String eventType, String payloadJson) {
      return write(EventEnvelope.ofJson(eventType, payloadJson));
    }

    @Override
    public String write(EventType eventType, String payloadJson) {
      return write(EventEnvelope.ofJson(eventType, payloadJson));
    }

    @Override
    public List<String> writeAll(List<EventEnvelope> all) {
      return all.stream().map(this::write).toList();
    }
  }

  @Outboxed("orders::#{orderId}")
  record OrderPlaced(String orderId, int cents) {}

  @Outboxed
  record Bare(String text) {}

  @Outboxed(
      target = " #{'or' + 'ders'} :: shop-#{id()} ",
      type = "Order#{state}",
      headers = {"from = shop", "note=#{note}", "formula=a=b"})
  static class OrderChanged {
    public String getState() {
      return "Changed";
    }

    public int id() {
      return 17;
    }

    public String getNote() {
      return null;
    }
  }

  static final class OrderCanceled extends OrderChanged {}

  @Outboxed("shops")
  @java.lang.annotation.Retention(java.lang.annotation.RetentionPolicy.RUNTIME)
  @interface ShopEvent {}

  @ShopEvent
  record Opened(String city) {}

  @Outboxed("#{missing}")
  record BadProperty(String text) {}

  @Outboxed(
      value = "orders::shop-#{shop}",
      headers = {"from=#{shop}-#{shop}", "to=#{number}#{number}"})
  record Mixed(String shop, int number) {}

  @Outboxed(type = "Order#{nothing}")
  record NullType(String nothing) {}

  @Outboxed("#{nothing}")
  record NullTarget(String nothing) {}

  @Outboxed("#{T(java.lang.Runtime).getRuntime()}")
  record Type(String text) {}

  @Outboxed("#{#this.getClass().getClassLoader()}")
  record Reflection(String text) {}

  @Outboxed(headers = "no value")
  record BadHeader(String text) {}

  private final Writer writer = new Writer();

  private EventEnvelope published(Object event, EventMapping... mappings) {
    publishing(List.of(mappings), context -> context.publishEvent(event));
    assertThat(writer.events).hasSize(1);
    return writer.events.get(0);
  }

  private void publishing(
      List<EventMapping> mappings, Consumer<AbstractApplicationContext> publisher) {
    try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
      context.registerBean(
          OutboxEventRecorder.class, () -> new OutboxEventRecorder(writer, mappings));
      context.refresh();
      publisher.accept(context);
    }
  }

  private void assertRefused(Object event, String... words) {
    publishing(
        List.of(),
        context ->
            assertThatIllegalStateException()
                .isThrownBy(() -> context.publishEvent(event))
                .withMessageContaining(event.getClass().getName())
                .withMessageContainingAll(words));
    assertThat(writer.events).isEmpty();
  }

  @Test
  void theTargetIsTheAggregate() {
    EventEnvelope event = published(new OrderPlaced("A-17", 1999));

    assertThat(event.eventType()).isEqualTo("OrderPlaced");
    assertThat(event.aggregateType()).isEqualTo("orders");
    assertThat(event.aggregateId()).isEqualTo("A-17");
    assertThat(event.headers()).isEmpty();
    assertThat(event.payloadJson()).isEqualTo("{\"orderId\":\"A-17\",\"cents\":1999}");
  }

  @Test
  void everythingMayBeLeftOut() {
    EventEnvelope event = published(new Bare("hello"));

    assertThat(event.eventType()).isEqualTo("Bare");
    assertThat(event.aggregateType()).isEqualTo("__GLOBAL__");
    assertThat(event.aggregateId()).isNull();
  }

  @Test
  void everythingMayBeAnExpression() {
    EventEnvelope event = published(new OrderChanged());

    assertThat(event.eventType()).isEqualTo("OrderChanged");
    assertThat(event.aggregateType()).isEqualTo("orders");
    assertThat(event.aggregateId()).isEqualTo("shop-17");
    assertThat(event.headers())
        .containsExactly(Map.entry("from", "shop"), Map.entry("formula", "a=b"));
  }

  @Test
  void aTextIsLeftOutIfAnExpressionInItYieldsNull() {
    EventEnvelope event = published(new Mixed(null, 4));

    assertThat(event.aggregateId()).isNull();
    assertThat(event.headers()).containsExactly(Map.entry("to", "44"));
  }

  @Test
  void theAnnotationMayBeThatOfASuperclassOrOfAnAnnotation() {
    assertThat(published(new OrderCanceled()).aggregateType()).isEqualTo("orders");
    writer.events.clear();
    assertThat(published(new Opened("Berlin")).aggregateType()).isEqualTo("shops");
  }

  @Test
  void badExpressionsAreRefusedAndSayWhere() {
    assertRefused(new BadProperty("x"), "missing");
    assertRefused(new NullTarget(null), "target", "#{nothing}");
    assertRefused(new NullType(null), "type", "Order#{nothing}");
    assertRefused(new BadHeader("x"), "'no value'", "name=value");
  }

  @Test
  void expressionsReachNoTypesAndNoReflection() {
    assertRefused(new Type("x"), "java.lang.Runtime");
    assertRefused(new Reflection("x"), "getClass");
  }

  @Test
  void theFirstMappingThatKnowsTheEventDecides() {
    EventMapping silent = event -> Optional.empty();
    EventMapping first =
        event -> Optional.of(EventEnvelope.ofJson("First", "\"" + event.getClass() + "\""));
    EventMapping second = event -> Optional.of(EventEnvelope.ofJson("Second", "{}"));

    publishing(
        List.of(silent, rule(), first, second),
        context -> context.publishEvent(new OrderPlaced("A-17", 1999)));

    assertThat(writer.events)
        .extracting(EventEnvelope::eventType)
        .contains("ByRule", "First")
        .doesNotContain("Second", "OrderPlaced");
  }

  private static EventRule<OrderPlaced> rule() {
    return EventRule.of(OrderPlaced.class).eventType("ByRule").build();
  }

  @Test
  void aRuleMapsEverything() {
    EventRule<OrderPlaced> rule =
        EventRule.of(OrderPlaced.class)
            .when(order -> order.cents() > 0)
            .eventType(order -> "Order" + order.cents())
            .aggregateType("orders")
            .key(OrderPlaced::orderId)
            .header("cents", OrderPlaced::cents)
            .header("left-out", order -> null)
            .payload(order -> List.of(order.orderId()))
            .envelope((order, envelope) -> envelope.tenantId("acme"))
            .envelope((order, envelope) -> envelope.orderingKey(order.orderId()))
            .build();

    EventEnvelope event = rule.toOutbox(new OrderPlaced("A-17", 5)).orElseThrow();
    assertThat(event.eventType()).isEqualTo("Order5");
    assertThat(event.aggregateType()).isEqualTo("orders");
    assertThat(event.aggregateId()).isEqualTo("A-17");
    assertThat(event.headers()).containsExactly(Map.entry("cents", "5"));
    assertThat(event.payloadJson()).isEqualTo("[\"A-17\"]");
    assertThat(event.tenantId()).isEqualTo("acme");
    assertThat(event.orderingKey()).isEqualTo("A-17");
    assertThat(rule.toOutbox(new OrderPlaced("A-17", 0))).isEmpty();
    assertThat(rule.toOutbox("another")).isEmpty();
  }

  @Test
  void aRulesPayloadMayBeBytes() {
    EventRule<String> rule = EventRule.of(String.class).payload(text -> new byte[] {1}).build();

    EventEnvelope event = rule.toOutbox("text").orElseThrow();
    assertThat(event.payloadBytes()).containsExactly(1);
    assertThat(event.contentType()).isEqualTo("application/octet-stream");
  }

  /** An event as Spring had them before payloads. */
  static final class Old extends ApplicationEvent {
    Old(Object source) {
      super(source);
    }
  }

  @Test
  void eventsThatExtendSpringsClassHaveRulesToo() {
    EventRule<Old> rule = EventRule.of(Old.class).payload(old -> "old").build();

    assertThat(published(new Old(this), rule).eventType()).isEqualTo("Old");
  }

  @Test
  void eventsAreWrittenByTheThreadThatPublishesThemWhateverTheMulticasterDoes() {
    try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
      context.registerBean(
          AbstractApplicationContext.APPLICATION_EVENT_MULTICASTER_BEAN_NAME,
          SimpleApplicationEventMulticaster.class,
          () -> {
            SimpleApplicationEventMulticaster multicaster = new SimpleApplicationEventMulticaster();
            multicaster.setTaskExecutor(task -> new Thread(task).start());
            return multicaster;
          });
      context.registerBean(
          OutboxEventRecorder.class, () -> new OutboxEventRecorder(writer, List.of()));
      context.refresh();

      context.publishEvent(new OrderPlaced("A-17", 1999));

      assertThat(writer.threads).containsExactly(Thread.currentThread());
    }
  }

  @Test
  void anErrorHandlerThatKeepsRefusalsFromThePublisherIsNotAccepted() {
    assertThatIllegalStateException()
        .isThrownBy(() -> start(failure -> {}))
        .withMessageContaining("ErrorHandler");

    ErrorHandler rethrows =
        failure -> {
          throw (RuntimeException) failure;
        };
    try (AnnotationConfigApplicationContext context = start(rethrows)) {
      assertThatIllegalStateException()
          .isThrownBy(() -> context.publishEvent(new BadProperty("x")));
      assertThat(writer.events).isEmpty();
    }
  }

  private AnnotationConfigApplicationContext start(ErrorHandler errorHandler) {
    AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
    context.registerBean(
        AbstractApplicationContext.APPLICATION_EVENT_MULTICASTER_BEAN_NAME,
        SimpleApplicationEventMulticaster.class,
        () -> {
          SimpleApplicationEventMulticaster multicaster = new SimpleApplicationEventMulticaster();
          multicaster.setErrorHandler(errorHandler);
          return multicaster;
        });
    context.registerBean(
        OutboxEventRecorder.class, () -> new OutboxEventRecorder(writer, List.of()));
    context.refresh();
    return context;
  }

  @Test
  void otherListenersSeeNothingOfTheCheckAtTheStart() {
    List<Object> seen = new ArrayList<>();
    try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
      context.addApplicationListener(seen::add);
      context.registerBean(
          OutboxEventRecorder.class, () -> new OutboxEventRecorder(writer, List.of()));
      context.refresh();
    }

    assertThat(seen)
        .extracting(Object::getClass)
        .extracting(Class::getPackageName)
        .doesNotContain(OutboxEventRecorder.class.getPackageName());
  }

  /** Answers an event by another one, before listeners without an order get the first. */
  static final class Follower {
    private final ApplicationEventPublisher events;

    Follower(ApplicationEventPublisher events) {
      this.events = events;
    }

    @EventListener
    @Order(1)
    void follow(OrderPlaced order) {
      events.publishEvent(new Bare(order.orderId()));
    }
  }

  @Test
  void anEventIsWrittenBeforeTheEventsThatFollowFromIt() {
    try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
      context.registerBean(Follower.class, () -> new Follower(context));
      context.registerBean(
          OutboxEventRecorder.class, () -> new OutboxEventRecorder(writer, List.of()));
      context.refresh();

      context.publishEvent(new OrderPlaced("A-17", 1999));
    }

    assertThat(writer.events)
        .extracting(EventEnvelope::eventType)
        .containsExactly("OrderPlaced", "Bare");
  }

  @Test
  void whatTheDatabaseThrowsReachesThePublisherAsItIs() {
    RuntimeException failure = new UnsupportedOperationException("the database said no");
    OutboxEventRecorder recorder =
        new OutboxEventRecorder(
            new Writer() {
              @Override
              public String write(EventEnvelope event) {
                throw failure;
              }
            },
            List.of());

    try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
      context.registerBean(OutboxEventRecorder.class, () -> recorder);
      context.refresh();
      assertThatThrownBy(() -> context.publishEvent(new Bare("x"))).isSameAs(failure);
    }
  }

  @Test
  void nullsAreRefused() {
    assertThatNullPointerException().isThrownBy(() -> new OutboxEventRecorder(null, List.of()));
    assertThatNullPointerException().isThrownBy(() -> new OutboxEventRecorder(writer, null));
    assertThatNullPointerException().isThrownBy(() -> EventRule.of(null));
    EventRule.Builder<String> builder = EventRule.of(String.class);
    assertThatNullPointerException().isThrownBy(() -> builder.when(null));
    assertThatNullPointerException().isThrownBy(() -> builder.eventType((String) null));
    assertThatNullPointerException().isThrownBy(() -> builder.aggregateType(null));
    assertThatNullPointerException().isThrownBy(() -> builder.key(null));
    assertThatNullPointerException().isThrownBy(() -> builder.header(null, text -> text));
    assertThatNullPointerException().isThrownBy(() -> builder.header("name", null));
    assertThatNullPointerException().isThrownBy(() -> builder.payload(null));
    assertThatNullPointerException().isThrownBy(() -> builder.envelope(null));
  }

  @Configuration(proxyBeanMethods = false)
  static class PlainSpring {

    @Bean
    Writer writer() {
      return new Writer();
    }

    @Bean
    EventRule<String> texts() {
      return EventRule.of(String.class).eventType("Text").build();
    }

    // snippet: spring-events-plain
    @Bean
    OutboxEventRecorder outboxEventRecorder(OutboxWriter writer, List<EventMapping> rules) {
      return new OutboxEventRecorder(writer, rules);
    }
    // end
  }

  @Test
  void aBeanIsAllThatPlainSpringNeeds() {
    try (AnnotationConfigApplicationContext context =
        new AnnotationConfigApplicationContext(PlainSpring.class)) {
      context.publishEvent("hello");

      assertThat(context.getBean(Writer.class).events)
          .singleElement()
          .extracting(EventEnvelope::eventType)
          .isEqualTo("Text");
    }
  }
}
