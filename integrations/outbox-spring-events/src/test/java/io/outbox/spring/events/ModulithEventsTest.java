package io.outbox.spring.events;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.outbox.EventEnvelope;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.messaging.Message;
import org.springframework.modulith.events.EventExternalizationConfiguration;
import org.springframework.modulith.events.EventExternalizationConfiguration.Router;
import org.springframework.modulith.events.Externalized;
import org.springframework.modulith.events.RoutingTarget;
import org.springframework.modulith.events.jobrunr.JobRunrEventExternalizer;
import org.springframework.modulith.events.namastack.NamastackOutboxEventRecorder;

/** What Spring Modulith's configuration says, and what an event's data cannot say. */
class ModulithEventsTest {

  @Externalized("#{@topics}::#{orderId}")
  record OrderShipped(String orderId, String carrier) {}

  record Mapped(String id) {}

  private final DefaultListableBeanFactory beans = new DefaultListableBeanFactory();

  ModulithEventsTest() {
    beans.registerSingleton("topics", "orders");
  }

  private EventEnvelope externalized(UnaryOperator<Router> configuration, String carrier) {
    Router router =
        EventExternalizationConfiguration.externalizing()
            .select(EventExternalizationConfiguration.annotatedAsExternalized());
    return new ModulithEvents(configuration.apply(router).build(), beans)
        .toOutbox(new OrderShipped("A-17", carrier))
        .orElseThrow();
  }

  @Test
  void expressionsOfTheAnnotationAreEvaluated() {
    EventEnvelope event = externalized(router -> router, "bike");

    assertThat(event.aggregateType()).isEqualTo("orders");
    assertThat(event.aggregateId()).isEqualTo("A-17");
  }

  @ParameterizedTest
  @ValueSource(strings = {"#{@topics}", "#{orderId}#{@topics}", "#{"})
  void aRoutedKeyIsDataWhateverItLooksLike(String carrier) {
    EventEnvelope byKey =
        externalized(router -> router.routeKey(OrderShipped.class, OrderShipped::carrier), carrier);
    assertThat(byKey.aggregateType()).isEqualTo("orders");
    assertThat(byKey.aggregateId()).isEqualTo(carrier);

    EventEnvelope byRoute =
        externalized(
            router ->
                router.routeAll(
                    event ->
                        RoutingTarget.forTarget("fixed").andKey(((OrderShipped) event).carrier())),
            carrier);
    assertThat(byRoute.aggregateType()).isEqualTo("fixed");
    assertThat(byRoute.aggregateId()).isEqualTo(carrier);
  }

  @Test
  void headersAreThoseOfTheMappedEventOrElseOfThePublishedOne() {
    UnaryOperator<Router> published =
        router ->
            router
                .mapping(OrderShipped.class, order -> new Mapped(order.orderId()))
                .headers(OrderShipped.class, order -> Map.of("carrier", order.carrier()));
    assertThat(externalized(published, "bike").headers())
        .containsExactly(Map.entry("carrier", "bike"));

    UnaryOperator<Router> mapped =
        router ->
            published.apply(router).headers(Mapped.class, order -> Map.of("mapped", order.id()));
    assertThat(externalized(mapped, "bike").headers()).containsExactly(Map.entry("mapped", "A-17"));
  }

  @Test
  void aMessageIsRefusedAsItWouldBeWrittenWithItsHeadersInside() {
    record Wrapped(String payload) implements Message<String> {}

    assertThatIllegalStateException()
        .isThrownBy(
            () ->
                externalized(
                    router -> router.mapping(OrderShipped.class, order -> new Wrapped("x")),
                    "bike"))
        .withMessageContaining("Message")
        .withMessageContaining("headers(");
  }

  @ParameterizedTest
  @ValueSource(classes = {JobRunrEventExternalizer.class, NamastackOutboxEventRecorder.class})
  void theOutboxesOfModulithWouldSendEveryEventTwice(Class<?> sender) throws Exception {
    ModulithSenders.requireNone(beans);
    beans.registerSingleton("another", sender.getConstructor().newInstance());

    assertThatIllegalStateException()
        .isThrownBy(() -> ModulithSenders.requireNone(beans))
        .withMessageContaining("'another'");
  }
}
