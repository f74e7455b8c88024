package io.outbox.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.outbox.testbrokers.KafkaBroker;
import io.outbox.testdb.Ports;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RelayTest {

  @TempDir Path directory;
  private final H2Table table = new H2Table();
  private HttpReceiver receiver;

  @BeforeEach
  void receive() throws Exception {
    receiver = new HttpReceiver();
  }

  @AfterEach
  void close() {
    receiver.close();
    table.close();
  }

  private Relay start(String rest) throws Exception {
    return Relay.start(RelayFile.load(directory, table.config(rest)));
  }

  @Test
  void rulesLeadToTwoBrokersAtOnce() throws Exception {
    try (KafkaTopic topic = new KafkaTopic();
        Relay relay =
            start(
                """
                brokers:
                  events: {type: kafka, bootstrap-servers: "%s"}
                  web: {type: http}
                rules:
                  - {name: acme, when: {tenant: acme}, broker: web, destination: "%s/{tenantId}"}
                  - {when: {event-type: "Internal*"}, action: drop}
                  - {name: bad, when: {header: {bad: "*"}}, action: dead}
                default: {broker: events, destination: %s}
                """
                    .formatted(
                        KafkaBroker.shared().bootstrapServers(),
                        receiver.address(),
                        topic.name()))) {
      table.insert("a", "Placed");
      table.insert("b", "Placed", "acme", null, "{}");
      table.insert("c", "InternalThing");
      table.insert("d", "Placed", null, "{\"bad\": \"yes\"}", "{}");

      await().until(() -> table.rows().equals(List.of("a 1 0", "b 1 0", "c 1 0", "d 3 0")));
      await().until(() -> topic.ids().equals(Set.of("a")));
      assertThat(receiver.posted()).hasSize(1);
      assertThat(receiver.posted().get(0).path()).isEqualTo("/acme");
      await() // counted after their commit
          .untilAsserted(
              () ->
                  assertThat(Monitor.of(relay).get("/metrics").body())
                      .contains("outbox_relay_published_total{rule=\"acme\",table=\"orders\"} 1.0")
                      .contains(
                          "outbox_relay_published_total{rule=\"default\",table=\"orders\"} 1.0")
                      .contains("outbox_dispatch_dead_total{table=\"orders\"} 1.0"));
    }
  }

  /** The brokers cannot be told apart by the type of an event. */
  @Test
  void aBrokerThatIsDownFromTheStartHoldsUpNoOther() throws Exception {
    int nobody = Ports.unused();
    try (Relay relay =
        start(
            """
            brokers:
              down: {type: redis, uri: "redis://127.0.0.1:%d", timeout: 500ms}
              web: {type: http}
            rules:
              - {when: {tenant: acme}, broker: web, destination: "%s"}
            default: {broker: down, destination: events}
            """
                .formatted(nobody, receiver.address()))) {
      table.insert("a", "Placed");
      await().until(() -> Monitor.of(relay).get("/health").body().contains("\"brokersDown\":1"));
      await()
          .until(
              () ->
                  Monitor.of(relay)
                      .get("/health")
                      .body()
                      .contains("{\"broker\":\"down\",\"of\":\"broker\",\"since\":"));
      assertThat(Monitor.of(relay).get("/health").body()).doesNotContain("127.0.0.1");
      for (int i = 0; i < 50; i++) {
        table.insert("b" + i, "Placed", "acme", null, "{}");
      }
      await().until(() -> receiver.posted().size() == 50);

      assertThat(table.rows()).first().isEqualTo("a 0 0");
      assertThat(Monitor.of(relay).get("/health").statusCode()).isEqualTo(503);
      assertThat(Monitor.of(relay).get("/health/live").statusCode()).isEqualTo(200);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"single-node", "multi-node", "ordered", "ordered-by-key"})
  void everyModeDelivers(String mode) throws Exception {
    String config =
        table
            .config(
                """
                brokers: {web: {type: http}}
                default: {broker: web, destination: "%s/{eventType}"}
                """
                    .formatted(receiver.address()))
            .replaceFirst(
                "orders: .*",
                "orders: {database: shop, mode: "
                    + mode
                    + ", schema: {initialize: always}, poller: {interval-ms: 50}}");
    try (Relay relay = Relay.start(RelayFile.load(directory, config))) {
      for (int i = 0; i < 20; i++) {
        table.insert("e" + i, "T" + i);
      }
      await().until(() -> receiver.posted().size() == 20);
      await().until(() -> table.rows().stream().allMatch(row -> row.endsWith(" 1 0")));
      if (mode.startsWith("ordered")) {
        assertThat(receiver.posted())
            .extracting(HttpReceiver.Posted::path)
            .containsExactlyElementsOf(IntStream.range(0, 20).mapToObj(i -> "/T" + i).toList());
      }
      assertThat(Monitor.of(relay).get("/health/ready").statusCode()).isEqualTo(200);
    }
  }

  @Test
  void deadEventsGoToTheDeadLetterDestination() throws Exception {
    try (Relay relay =
        start(
            """
            brokers:
              web: {type: http, dead-letter-destination: "%s/dead/{eventType}"}
            default: {broker: web, destination: "%s/{header.missing}"}
            """
                .formatted(receiver.address(), receiver.address()))) {
      table.insert("a", "Placed");

      await().until(() -> receiver.posted().size() == 1);
      assertThat(receiver.posted().get(0).path()).isEqualTo("/dead/Placed");
      assertThat(table.rows()).containsExactly("a 3 0");
      assertThat(relay.monitoringAddress()).isPresent();
    }
  }

  @Test
  void healthTellsOfALag() throws Exception {
    RelayConfig config =
        RelayFile.load(
            directory,
            table.config(
                """
                health: {max-lag: 100ms}
                brokers:
                  down: {type: redis, uri: "redis://127.0.0.1:%d", timeout: 500ms}
                default: {broker: down, destination: events}
                """
                    .formatted(Ports.unused())));
    try (Relay relay = Relay.start(config)) {
      Monitor monitor = Monitor.of(relay);
      assertThat(monitor.get("/health").statusCode()).isEqualTo(200);
      table.insert("a", "Placed");
      await().until(() -> monitor.get("/health").body().contains("\"pending\":1"));
      await().until(() -> monitor.get("/health").statusCode() == 503);
      assertThat(monitor.get("/health").body()).contains("\"maxLagMs\":100", "\"ready\":false");
      assertThat(monitor.get("/nothing").statusCode()).isEqualTo(404);
      assertThat(monitor.post("/metrics").statusCode()).isEqualTo(405);
    }
  }

  @Test
  void healthTellsOfDeadEventsBeyondALimit() throws Exception {
    try (Relay relay = start("health: {max-dead: 1}\ndefault: {action: dead}\n")) {
      Monitor monitor = Monitor.of(relay);
      table.insert("a", "Placed");
      await().until(() -> monitor.get("/health").body().contains("\"dead\":1"));
      assertThat(monitor.get("/health").statusCode()).isEqualTo(200);
      table.insert("b", "Placed");

      await().until(() -> monitor.get("/health").statusCode() == 503);
      assertThat(monitor.get("/health").body()).contains("\"dead\":2", "\"maxDead\":1");
    }
  }

  @Test
  void R24_healthTellsOfALagWhateverDefersTheEvents() throws Exception {
    RelayConfig config =
        RelayFile.load(
            directory,
            table.config(
                """
                health: {max-lag: 1h}
                brokers:
                  down: {type: redis, uri: "redis://127.0.0.1:%d", timeout: 500ms}
                default: {broker: down, destination: events}
                """
                    .formatted(Ports.unused())));
    try (Relay relay = Relay.start(config)) {
      Monitor monitor = Monitor.of(relay);
      table.insert("a", "Placed");
      // once it is deferred, as if that had been long ago
      await()
          .until(
              () ->
                  table.update(
                          "UPDATE outbox_event SET waiting_since = DATEADD('HOUR', -2,"
                              + " waiting_since) WHERE waiting_since IS NOT NULL")
                      == 1);

      await()
          .untilAsserted(
              () ->
                  assertThat(monitor.get("/health").body())
                      .containsPattern("\"lagMs\":7[2-9]\\d{5}")
                      .contains("\"maxLagMs\":3600000", "\"ready\":false"));
    }
  }

  @Test
  void healthTellsOfADatabaseThatIsGone() throws Exception {
    try (Relay relay = start("default: {action: drop}\n")) {
      Monitor monitor = Monitor.of(relay);
      assertThat(monitor.get("/health").statusCode()).isEqualTo(200);
      table.close();

      await().until(() -> monitor.get("/health").statusCode() == 503);
      assertThat(monitor.get("/health").body())
          .contains("\"database\":\"unreachable\"")
          .doesNotContain("jdbc:");
      assertThat(monitor.get("/health/live").statusCode()).isEqualTo(200);
    }
  }

  private String dryRun(String text, Map<String, String> environment) throws Exception {
    StringWriter out = new StringWriter();
    new DryRun(RelayFile.load(directory, text, environment), new PrintWriter(out)).run();
    return out.toString();
  }

  @Test
  void aDryRunShowsWhatWouldGoWhereAndChangesNothing() throws Exception {
    table.insert("a", "Placed", "acme", "{\"region\": \"eu\"}", "\"" + "x".repeat(500) + "\"");
    table.insert("b", "InternalThing");
    table.insert("c", "Odd", null, "[1]", "{}");
    table.insert("d", "Bad\u001b[31m\n\u202e");
    List<String> before = table.rows();

    String shown =
        dryRun(
            table.config(
                """
                brokers:
                  web:
                    type: http
                    signing-secret: ${SECRET}
                    headers: {Authorization: "Bearer ${SECRET}"}
                rules:
                  - {name: internal, when: {event-type: "Internal*"}, action: drop}
                  - {name: acme, when: {tenant: acme}, broker: web, destination: "http://h/{tenantId}"}
                default: {broker: web, destination: "http://h/{tenantId}"}
                """),
            Map.of("SECRET", "hunter2hunter2"));

    assertThat(shown)
        .contains("table orders (outbox_event of shop, multi-node, every 50ms)")
        .contains("pending and due: 4")
        .contains("a  Order/Placed, tenant acme")
        .contains("-> web address http://h/acme, key 17  [acme]")
        .contains("x… (502 bytes)")
        .contains("-> nowhere, dropped  [internal]")
        .contains("c  cannot be read, and would be DEAD")
        .contains("-> DEAD: event d has no tenantId")
        .contains("Bad\\u001b[31m\\n\\u202e")
        .doesNotContain("hunter2", "\u001b", "\u202e");
    assertThat(table.rows()).isEqualTo(before);
    assertThat(receiver.posted()).isEmpty();
  }

  @Test
  void aDryRunShowsTheRoutingKeyThatAQueueMustBeBoundWith() throws Exception {
    table.insert("a", "Placed");
    table.insert("b", "Shipped");

    String shown =
        dryRun(
            table.config(
                """
                brokers:
                  rabbit: {type: rabbitmq, uri: "amqp://127.0.0.1:1", destination: shop}
                rules:
                  - {name: own, when: {event-type: Shipped}, broker: rabbit, routing-key: "x.{eventType}"}
                default: {broker: rabbit}
                """),
            Map.of());

    assertThat(shown)
        .contains("-> rabbit exchange shop, routing key Placed  [default]")
        .contains("-> rabbit exchange shop, routing key x.Shipped  [own]");
  }

  @Test
  void aDryRunShowsASampleOnly() throws Exception {
    for (int i = 0; i < 30; i++) {
      table.insert("e" + i, "Placed");
    }
    String shown = dryRun(table.config("default: {action: dead}\n"), Map.of());

    assertThat(shown).contains("the oldest 20 events");
    assertThat(shown.lines().filter(line -> line.contains("Order/Placed"))).hasSize(20);
  }

  @Test
  void aTableThatIsNotThereIsSaidSoWithWhatToDo() {
    String config =
        table
            .config("default: {action: dead}\n")
            .replace("orders: {", "orders: {table-name: other, ");

    assertThatThrownBy(() -> Relay.start(RelayFile.load(directory, config)))
        .isInstanceOf(RelayStartException.class)
        .hasMessageContaining("relay.yaml:5: tables.orders: the table cannot be used: ")
        .hasMessageContaining("schema.initialize: always")
        .hasMessageContaining("./outbox schema create")
        .hasMessageNotContaining("OutboxSchema");
    assertThatThrownBy(() -> dryRun(config, Map.of()))
        .hasMessageContaining("other: the table is missing");
  }

  @Test
  void aDryRunGoesOnWithoutATableThatTheStartCreates() throws Exception {
    String config =
        table
            .config("default: {action: dead}\n")
            .replace("orders: {", "orders: {table-name: other, schema: {initialize: always}, ");

    assertThat(dryRun(config, Map.of())).contains("the table is missing, and is created when");
    assertThat(dryRun(config, Map.of())).as("still").contains("the table is missing");
    Relay.start(RelayFile.load(directory, config)).close();
    assertThat(dryRun(config, Map.of())).contains("pending and due: 0");
  }

  @Test
  void aDatabaseThatCannotBeReachedIsSaidSoWithoutItsPassword() {
    String config =
        """
        databases:
          shop:
            url: jdbc:postgresql://127.0.0.1:%d/shop?password=hunter2hunter2
            username: u
            connection-timeout: 1s
        tables:
          orders: {database: shop}
        default: {action: dead}
        """
            .formatted(Ports.unused());

    assertThatThrownBy(() -> Relay.start(RelayFile.load(directory, config)))
        .isInstanceOf(RelayStartException.class)
        .hasMessageContaining("relay.yaml:2: databases.shop: the database cannot be used: ")
        .hasMessageContaining("Check url, username and password")
        .hasMessageNotContaining("hunter2");
  }

  @Test
  void settingsThatAClientDoesNotTakeAreSaidSo() {
    assertThatThrownBy(
            () ->
                start(
                    """
                    brokers:
                      events:
                        type: kafka
                        bootstrap-servers: "127.0.0.1:9"
                        properties: {acks: 1}
                    default: {broker: events, destination: all}
                    """))
        .isInstanceOf(RelayStartException.class)
        .hasMessageContaining("relay.yaml:7: brokers.events: its client refuses its settings")
        .hasMessageContaining("acks must be all");
  }

  /** As in a cluster that is being set up. */
  @Test
  void aKafkaWhoseNameIsNotKnownYetIsWaitedFor() throws Exception {
    try (Relay relay =
        start(
            """
            brokers:
              events: {type: kafka, bootstrap-servers: "there-is-no-such-host.invalid:9092"}
            default: {broker: events, destination: all}
            """)) {
      table.insert("a", "Placed");
      await().until(() -> Monitor.of(relay).get("/health").body().contains("\"brokersDown\":1"));
      assertThat(table.rows()).containsExactly("a 0 0");
    }
  }

  @Test
  void aPortThatIsTakenIsSaidSo() throws Exception {
    try (Relay first = start("default: {action: dead}\n")) {
      String port = first.monitoringAddress().orElseThrow().replaceAll(".*:", "");
      String config = table.config("default: {action: dead}\n").replace("port: 0", "port: " + port);
      assertThatThrownBy(() -> Relay.start(RelayFile.load(directory, config)))
          .isInstanceOf(RelayStartException.class)
          .hasMessageContaining("health and metrics cannot be served at 127.0.0.1:" + port)
          .hasMessageContaining("Set http.port to another one");
    }
  }
}
