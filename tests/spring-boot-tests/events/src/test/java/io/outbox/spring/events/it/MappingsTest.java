package io.outbox.spring.events.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.EventEnvelope;
import io.outbox.spring.events.it.shop.Mails;
import io.outbox.spring.events.it.shop.OrderPaid;
import io.outbox.spring.events.it.shop.OrderReturned;
import io.outbox.spring.events.it.shop.OrderShipped;
import io.outbox.spring.events.it.shop.Orders;
import io.outbox.spring.events.it.shop.Warehouse;
import io.outbox.testing.Await;
import io.outbox.testing.RecordingListener;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.modulith.events.EventExternalizationConfiguration;

/** What becomes of an event by annotation, by rule and by Spring Modulith's configuration. */
class MappingsTest {

  /** With Spring Modulith's defaults; each test has its own order. */
  private static Shop shop;

  @BeforeAll
  static void start() {
    shop = Shop.start();
  }

  @AfterAll
  static void stop() {
    shop.close();
  }

  /** Publishes, and waits for the one event that is delivered. */
  private static EventEnvelope delivered(String eventType, Object... published) {
    shop.inTransaction(status -> List.of(published).forEach(shop::publish));
    Await.until(eventType, Shop.SOON, () -> !deliveries(eventType).isEmpty());
    assertThat(deliveries(eventType)).hasSize(1);
    assertThat(
            shop.jdbc()
                .queryForObject(
                    "SELECT count(*) FROM outbox_event WHERE event_type = ?",
                    Integer.class,
                    eventType))
        .isOne();
    return deliveries(eventType).get(0);
  }

  private static List<EventEnvelope> deliveries(String eventType) {
    return shop.delivered().deliveries().stream()
        .map(RecordingListener.Delivery::event)
        .filter(event -> event.eventType().equals(eventType))
        .toList();
  }

  @Test
  void anAnnotatedEventReachesItsListener() {
    shop.bean(Orders.class).place("A-17", 1999);

    Mails mails = shop.bean(Mails.class);
    Await.until("the mail", Shop.SOON, () -> !mails.sent().isEmpty());
    assertThat(mails.sent()).containsExactly("Thank you for order A-17");
    assertThat(shop.count("orders")).isOne();
  }

  @Test
  void anEventWithARuleIsWrittenAsTheRuleSays() {
    OrderPaid paid = new OrderPaid("A-18", 1999, "EUR", "berlin");
    EventEnvelope event = delivered("OrderPaid", new OrderPaid("A-17", 0, "EUR", "berlin"), paid);

    assertThat(event.aggregateType()).isEqualTo("orders");
    assertThat(event.aggregateId()).isEqualTo("A-18");
    assertThat(event.tenantId()).isEqualTo("berlin");
    assertThat(event.headers()).containsExactly(Map.entry("currency", "EUR"));
    assertThat(event.payload(OrderPaid.class)).isEqualTo(paid);
  }

  @Test
  void anExternalizedEventIsWrittenOnceAndModulithsRegistryHasNothingToSend() {
    OrderShipped shipped = new OrderShipped("A-17", "by bike");
    EventEnvelope event = delivered("OrderShipped", shipped);

    assertThat(event.aggregateType()).isEqualTo("orders");
    assertThat(event.aggregateId()).isEqualTo("A-17");
    assertThat(event.payload(OrderShipped.class)).isEqualTo(shipped);

    Warehouse warehouse = shop.bean(Warehouse.class);
    Await.until("the other module", Shop.SOON, () -> !warehouse.told().isEmpty());
    assertThat(shop.jdbc().queryForList("SELECT listener_id FROM event_publication", String.class))
        .as("publications, of modules alone")
        .singleElement()
        .asString()
        .contains("Warehouse");
  }

  @Test
  void ourAnnotationComesBeforeModuliths() {
    EventEnvelope event = delivered("OrderReturned", new OrderReturned.Twice("A-17", "too small"));

    assertThat(event.aggregateType()).isEqualTo("orders");
    assertThat(event.aggregateId()).isNull();
    assertThat(event.headers())
        .containsExactly(Map.entry("reason", "too small"), Map.entry("source", "shop"));
  }

  @Test
  void modulithsTargetsMayNameBeansAndMayBeLeftOut() {
    EventEnvelope byBean = delivered("ByBean", new OrderReturned.ByBean("A-17"));
    assertThat(byBean.aggregateType()).isEqualTo("returned-orders");
    assertThat(byBean.aggregateId()).isEqualTo("A-17");

    EventEnvelope plain = delivered("Plain", new OrderReturned.Plain("A-18"));
    assertThat(plain.aggregateType()).isEqualTo("OrderReturned$Plain");
    assertThat(plain.aggregateId()).isNull();
  }

  /** Settings of Spring Modulith's own. */
  @Configuration(proxyBeanMethods = false)
  static class Externalization {

    // snippet: spring-events-modulith-configuration
    @Bean
    EventExternalizationConfiguration externalization() {
      return EventExternalizationConfiguration.externalizing()
          .select(EventExternalizationConfiguration.annotatedAsExternalized())
          .mapping(OrderShipped.class, order -> Map.of("id", order.orderId()))
          .headers(OrderShipped.class, order -> Map.of("carrier", order.carrier()))
          .build();
    }
    // end
  }

  @Test
  void modulithsSelectionMappingAndHeadersCount() {
    try (Shop own = Shop.start(Externalization.class)) {
      own.inTransaction(status -> own.publish(new OrderShipped("A-17", "by bike")));

      EventEnvelope event = own.awaitOne();
      assertThat(event.aggregateId()).as("of the event, not of its mapping").isEqualTo("A-17");
      assertThat(event.payloadJson()).isEqualTo("{\"id\":\"A-17\"}");
      assertThat(event.headers()).containsExactly(Map.entry("carrier", "by bike"));
    }
  }

  @Test
  void modulithsSwitchCounts() {
    try (Shop own =
        Shop.start(
            List.of(
                "spring.datasource.url=" + Shop.inMemory(),
                "spring.modulith.events.externalization.enabled=false"))) {
      own.inTransaction(status -> own.publish(new OrderShipped("A-17", "by bike")));

      assertThat(own.count("outbox_event")).isZero();
    }
  }
}
