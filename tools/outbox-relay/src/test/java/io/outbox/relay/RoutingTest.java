package io.outbox.relay;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.AsyncEventListener;
import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.relay.broker.Broker;
import io.outbox.relay.rule.RoutedListeners;
import io.outbox.relay.rule.Rules;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RoutingTest {

  @TempDir Path directory;
  private Rules rules;
  private RoutedListeners listeners;

  @BeforeEach
  void load() throws Exception {
    RelayConfig config =
        RelayFile.load(
            directory,
            """
            databases:
              shop: {url: "jdbc:h2:mem:shop"}
            brokers:
              one: {type: kafka, bootstrap-servers: "localhost:9092", destination: "{eventType}"}
              two: {type: redis, uri: "redis://localhost", destination: events}
            tables:
              orders: {database: shop}
              users: {database: shop, table-name: users}
            rules:
              - {name: others, when: {table: users}, broker: two}
              - {name: internal, when: {event-type: "Internal*"}, action: drop}
              - {name: broken, when: {event-type: [Broken, "Bad?"]}, action: dead}
              - {name: tenant, when: {aggregate-type: Order, tenant: "a*e"}, broker: two}
              - {name: header, when: {header: {region: "eu-*", level: "*"}}, broker: two}
              - {name: again, when: {event-type: Again, tenant: x}, broker: one}
            default: {broker: one}
            """);
    rules = config.rules().ofTable("orders");
    listeners = new RoutedListeners(rules, RoutingTest::publisher);
  }

  private static AsyncEventListener publisher(Broker broker) {
    return event -> {
      assertThat(broker).isNotNull(); // one for each broker
      return CompletableFuture.completedFuture(DispatchResult.done());
    };
  }

  @ParameterizedTest
  @CsvSource({
    "Placed, Order, acme, , , tenant",
    "Placed, Order, ae, , , tenant",
    "Placed, Order, acm, , , default",
    "Placed, Order, , , , default",
    "Placed, User, acme, , , default",
    "InternalOne, Order, acme, , , internal",
    "Internal, Order, acme, , , internal",
    "internal, User, , , , default",
    "Broken, User, , , , broken",
    "Bad1, User, , , , broken",
    "Bad12, User, , , , default",
    "Placed, User, , eu-west, 1, header",
    "Placed, User, , eu-west, , default",
    "Placed, User, , us-west, 1, default",
  })
  void theFirstRuleThatFitsTakesAnEvent(
      String type, String aggregate, String tenant, String region, String level, String rule) {
    EventEnvelope.Builder event =
        EventEnvelope.builder(type).aggregateType(aggregate).tenantId(tenant).payloadJson("1");
    if (region != null) {
      event.header("region", region);
    }
    if (level != null) {
      event.header("level", level);
    }
    assertThat(rules.of(event.build()).name()).isEqualTo(rule);
  }

  @Test
  void eachBrokerHasOneListenerAndTypesDecideWhereTheyCan() {
    EventEnvelope toOne = EventEnvelope.ofJson("Placed", "1");
    EventEnvelope toTwo =
        EventEnvelope.builder("Placed")
            .aggregateType("Order")
            .tenantId("acme")
            .payloadJson("1")
            .build();

    assertThat(listeners.listenerFor(toOne)).isNotEqualTo(listeners.listenerFor(toTwo));
    assertThat(listeners.listenerFor("Order", "Placed")).as("more than types matter").isNull();
    assertThat(listeners.listenerFor("Order", "InternalOne")).isNotNull();
  }

  @Test
  void dropIsDoneAndDeadSaysWhichRule() throws Exception {
    EventEnvelope dropped = EventEnvelope.ofJson("Internal", "1");
    EventEnvelope dead = EventEnvelope.ofJson("Broken", "1");

    assertThat(listeners.listenerFor(dropped).onEvent(dropped)).isEqualTo(DispatchResult.done());
    assertThat(listeners.listenerFor(dead).onEvent(dead))
        .isEqualTo(DispatchResult.dead("the relay's broken says so"));
  }
}
