package io.outbox.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.outbox.relay.rule.Rule;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class RelayConfigTest {

  private static final String MINIMAL =
      """
      databases:
        shop: {url: "jdbc:h2:mem:shop"}
      brokers:
        events: {type: kafka, bootstrap-servers: "localhost:9092"}
      tables:
        orders: {database: shop}
      default: {broker: events, destination: all}
      """;

  @TempDir Path directory;

  private List<String> problems(String text, Map<String, String> environment) {
    RelayConfigException problem =
        catchThrowableOfType(
            RelayConfigException.class, () -> RelayFile.load(directory, text, environment));
    assertThat(problem).as("the configuration is refused").isNotNull();
    return problem.problems().stream()
        .map(line -> line.replace(directory.toString() + "/", ""))
        .toList();
  }

  @Test
  void aFewLinesAreEnough() {
    assertThatCode(() -> RelayFile.load(directory, MINIMAL)).doesNotThrowAnyException();
  }

  @Test
  void theExampleIsValid() throws Exception {
    String example = Files.readString(Path.of("relay.example.yaml"));
    Path password = Files.writeString(directory.resolve("password"), "billing-secret\n");
    RelayConfig config =
        RelayFile.load(
            directory,
            example.replace("/run/secrets/billing-password", password.toString()),
            Map.of(
                "SHOP_PASSWORD", "shop-secret",
                "KAFKA_JAAS_CONFIG", "jaas-secret",
                "RABBIT_PASSWORD", "rabbit-secret",
                "REDIS_PASSWORD", "redis-secret",
                "PARTNER_TOKEN", "token-secret",
                "PARTNER_SECRET", "partner-secret"));

    assertThat(config.tables()).hasSize(2);
    assertThat(config.rules().all())
        .extracting(Rule::name)
        .containsExactly(
            "internal",
            "broken-import",
            "partner-orders",
            "invoices",
            "sensors",
            "audit",
            "mails",
            "default");
    String everything =
        config.rules().all()
            + config.tables().toString()
            + config.databases()
            + config.rules().brokers().stream().map(broker -> broker.place()).toList();
    assertThat(everything).doesNotContain("-secret");
    assertThat(config.secrets().redact("billing-secret and rabbit-secret"))
        .isEqualTo("*** and ***");
  }

  /** What is there, and what is said of it. */
  static Stream<Arguments> mistakes() {
    return Stream.of(
        mistake(
            "a setting with a typing error",
            MINIMAL.replace("bootstrap-servers", "bootstrap-server"),
            "relay.yaml:4: brokers.events: 'bootstrap-servers' is missing: where Kafka is, such as"
                + " kafka.example.com:9092",
            "relay.yaml:4: brokers.events.bootstrap-server: unknown setting; did you mean"
                + " 'bootstrap-servers'?"),
        mistake(
            "a setting that is like no other",
            MINIMAL + "colour: blue\n",
            "relay.yaml:8: colour: unknown setting; there are brokers, databases, default,"
                + " health, http, log-level, rules, tables"),
        mistake(
            "a setting that is there twice",
            MINIMAL + "default: {action: dead}\n",
            "relay.yaml:8: default: is a duplicate; the first is in line 7"),
        mistake(
            "no rule for the rest",
            MINIMAL.replaceAll("default:.*", ""),
            "relay.yaml:1: 'default' is missing: it decides about events that no rule matches, such as"
                + " 'default: {action: dead}'"),
        mistake(
            "a broker of an unknown type",
            MINIMAL.replace("kafka", "kafak"),
            "relay.yaml:4: brokers.events.type: must be one of kafka, rabbitmq, nats, redis, sqs,"
                + " http, but is 'kafak'"),
        mistake(
            "a rule with an unknown broker",
            MINIMAL.replace("broker: events", "broker: event"),
            "relay.yaml:7: default.broker: there is no broker 'event'; did you mean 'events'?"),
        mistake(
            "a table with an unknown database",
            MINIMAL.replace("database: shop", "database: bank"),
            "relay.yaml:6: tables.orders.database: there is no database 'bank'; there is shop"),
        mistake(
            "a destination that names no value of an event",
            MINIMAL.replace("destination: all", "destination: \"orders.{type}\""),
            "relay.yaml:7: default.destination: there is no {type} in the template 'orders.{type}';"
                + " there are eventType, aggregateType, aggregateId, tenantId, partitionKey and"
                + " header.NAME"),
        mistake(
            "a destination that Kafka does not take",
            MINIMAL.replace("destination: all", "destination: \"all events\""),
            "relay.yaml:7: default.destination: 'all events' is no topic: it may have letters,"
                + " digits, '.', '_' and '-', up to 249"),
        mistake(
            "no destination",
            MINIMAL.replace(", destination: all", ""),
            "relay.yaml:7: default.broker: 'destination' is missing: the topic, here or at the"
                + " broker events"),
        mistake(
            "a number that is none, and one that is too large",
            MINIMAL + "http: {port: 70000}\nlog-level: loud\n",
            "relay.yaml:8: http.port: must be from 0 to 65535, but is '70000'",
            "relay.yaml:9: log-level: must be one of error, warning, info, debug, trace, but is"
                + " 'loud'"),
        mistake(
            "values of the wrong kind",
            """
            databases:
              shop: {url: [1], pool-size: many}
            tables:
              orders:
                database: shop
                poller: 500
                purge: {enabled: yes, retention: 7}
            rules:
              when: {event-type: X}
            default: dead
            """,
            "relay.yaml:2: databases.shop.url: must be one value, but is a list",
            "relay.yaml:2: databases.shop.url: 'url' is missing: such as"
                + " jdbc:postgresql://host:5432/database",
            "relay.yaml:2: databases.shop.pool-size: must be a whole number, but is 'many'",
            "relay.yaml:6: tables.orders.poller: must have settings below it, but is one value",
            "relay.yaml:7: tables.orders.purge.enabled: must be true or false, but is 'yes'",
            "relay.yaml:7: tables.orders.purge.retention: must be a duration such as 500ms, 10s,"
                + " 5m, 1h or 7d, but is '7'",
            "relay.yaml:8: rules: must be a list, but is a section",
            "relay.yaml:10: default: must have settings below it, but is one value"),
        mistake(
            "settings that the mode does not have",
            """
            databases:
              shop: {url: "jdbc:h2:mem:shop"}
            tables:
              orders:
                database: shop
                mode: ordered
                claim-locking:
                  lock-timeout: 1m
                dispatcher:
                  worker-count: 8
                  drain-timeout-ms: 100
            default: {action: drop}
            """,
            "relay.yaml:7: tables.orders.claim-locking: has no effect in the mode ordered",
            "relay.yaml:10: tables.orders.dispatcher.worker-count: has no effect in the mode"
                + " ordered"),
        mistake(
            "the same table twice",
            """
            databases:
              shop: {url: "jdbc:h2:mem:shop"}
            tables:
              orders: {database: shop}
              again:
                database: shop
            default: {action: drop}
            """,
            "relay.yaml:5: tables.again: reads outbox_event of shop, as another does"),
        mistake(
            "rules that contradict themselves",
            MINIMAL
                + """
                rules:
                  - name: a
                    when: {table: order, tenant: }
                    action: drop
                    broker: events
                  - name: a
                    broker: events
                    destination: x
                    routing-key: y
                  - when: {event-types: X}
                    action: delete
                """,
            "relay.yaml:10: rules[0].when.tenant: must be a text or a list of texts; '*' stands for"
                + " anything",
            "relay.yaml:10: rules[0].when.table: unknown table; did you mean 'orders'?",
            "relay.yaml:12: rules[0].broker: has no effect with action: drop",
            "relay.yaml:13: rules[1].name: duplicate rule name",
            "relay.yaml:16: rules[1].routing-key: is for RabbitMQ, but events is none",
            "relay.yaml:17: rules[2].when.event-types: unknown setting; did you mean"
                + " 'event-type'?",
            "relay.yaml:17: rules[2]: 'broker' is missing: one of [events], or 'action: drop' or"
                + " 'dead'",
            "relay.yaml:18: rules[2].action: must be one of publish, drop, dead, but is 'delete'"),
        mistake(
            "values from outside that are not there",
            """
            databases:
              shop:
                url: jdbc:h2:mem:${DATABASE}
                password: ${file:/there/is/none}
                username: ${not a name}
            tables:
              orders: {database: shop}
            default: {action: drop}
            """,
            "relay.yaml:3: databases.shop.url: the environment variable DATABASE is not set;"
                + " ${DATABASE:-…} has a default",
            "relay.yaml:3: databases.shop.url: 'url' is missing: such as"
                + " jdbc:postgresql://host:5432/database",
            "relay.yaml:4: databases.shop.password: there is no file /there/is/none",
            "relay.yaml:5: databases.shop.username: ${not a name} is neither ${NAME} of the"
                + " environment nor ${file:/path}; write $${ for the characters themselves"),
        mistake(
            "settings of brokers that nobody can use",
            """
            databases:
              shop: {url: "jdbc:mysql://host/shop"}
            brokers:
              rabbit: {type: rabbitmq, uri: "http://user:pass-word@host", format: cloudevents}
              nats: {type: nats, servers: [not an address]}
              redis: {type: redis, uri: "amqp://user:pass-word@host", timeout: 0s}
              sqs: {type: sqs, endpoint: host, destination: "a b", source: /x}
              web: {type: http, destination: "ftp://host", headers: {"X Y": z}, max-requests: 0}
            tables:
              orders: {database: shop, table-name: "orders; drop table users", mode: fast}
            default: {action: drop}
            """,
            "relay.yaml:2: databases.shop.url: write jdbc:mariadb: instead; its driver is here and"
                + " talks to MySQL",
            "relay.yaml:4: brokers.rabbit.format: a CloudEvent says where it comes from: set"
                + " 'source', such as /shop/orders",
            "relay.yaml:4: brokers.rabbit.uri: must be an address such as"
                + " amqp://host:5672/vhost",
            "relay.yaml:5: brokers.nats.servers: must be addresses such as nats://host:4222",
            "relay.yaml:6: brokers.redis.uri: must be an address such as" + " redis://host:6379/0",
            "relay.yaml:6: brokers.redis.timeout: must be at least 1ms, but is '0s'",
            "relay.yaml:7: brokers.sqs.source: is for format: cloudevents",
            "relay.yaml:7: brokers.sqs.endpoint: must be an address such as https://host, but is"
                + " 'host'",
            "relay.yaml:7: brokers.sqs.destination: 'a b' is no queue: it is neither a name"
                + " (letters, digits, '_', '-', up to 80, perhaps .fifo) nor a URL",
            "relay.yaml:8: brokers.web.headers: 'X Y' cannot be sent: 'X Y' is no name of a header",
            "relay.yaml:8: brokers.web.max-requests: must be at least 1, but is '0'",
            "relay.yaml:8: brokers.web.destination: 'ftp://host' is no address: it should be like"
                + " https://host/path",
            "relay.yaml:10: tables.orders.table-name: 'orders; drop table users' is not a table"
                + " name: use letters, digits and _, no leading digit, and at most one schema in front"
                + " (orders.outbox_event)",
            "relay.yaml:10: tables.orders.mode: must be one of single-node, multi-node, ordered,"
                + " ordered-by-key, but is 'fast'"),
        mistake(
            "what is no YAML",
            "databases:\n  shop: {url: x\ntables: 1\n",
            "relay.yaml:3: invalid YAML: expected ',' or '}', but got :, while parsing a flow"
                + " mapping in line 2"),
        mistake(
            "a quote that is left open",
            "databases:\n  shop:\n    url: \"jdbc\n\ntables: 1\n",
            "relay.yaml:6: invalid YAML: found unexpected end of stream, while scanning a quoted"
                + " scalar in line 3"),
        mistake(
            "the beginning of a setting's name",
            """
            databases:
              shop: {url: "jdbc:h2:mem:x"}
            tables:
              orders: {database: shop, table: other}
            default: {action: drop}
            """,
            "relay.yaml:4: tables.orders.table: unknown setting; did you mean" + " 'table-name'?"),
        mistake("an empty file", "", "relay.yaml:1: the file has no settings, such as 'tables:'"),
        mistake(
            "a list", "- tables\n", "relay.yaml:1: the file has no settings, such as 'tables:'"));
  }

  private static Arguments mistake(String name, String text, String... problems) {
    return Arguments.of(name, text, List.of(problems));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("mistakes")
  void allMistakesAreNamedWithTheirLines(String name, String text, List<String> problems) {
    assertThat(problems(text, Map.of())).containsExactlyElementsOf(problems);
  }

  @Test
  void aFileThatIsNotThereIsSaidSo() {
    RelayConfigException problem =
        catchThrowableOfType(
            RelayConfigException.class, () -> RelayConfig.load(directory.resolve("none.yaml")));
    assertThat(problem.problems().get(0)).endsWith("none.yaml:1: the file does not exist");
  }

  /** The dollar sign was taken for a group of a pattern. */
  @Test
  void anAddressWithADollarSignIsRedacted() {
    assertThat(problems(MINIMAL + "colour: '?$9password=b'\nlog-level: '?$9password=b'", Map.of()))
        .anySatisfy(problem -> assertThat(problem).endsWith("but is '?$9password=***"));
  }

  /** It was taken for another size, even for a negative one. */
  @Test
  void aSizeThatNoNumberHoldsIsRefused() {
    assertThat(
            problems(
                MINIMAL.replace(
                    "{database: shop}",
                    "{database: shop, dispatcher: {max-queued-bytes: 999999999999GB}}"),
                Map.of()))
        .singleElement()
        .asString()
        .contains("max-queued-bytes: must be less than 8 exabytes");
  }

  /** It says that it has no bytes, and never ends. */
  @Test
  void aDeviceIsNotReadForEver() {
    assertThat(problems(MINIMAL.replace("mem:shop", "mem:${file:/dev/zero}"), Map.of()))
        .anySatisfy(problem -> assertThat(problem).contains("has more than 65536 bytes"));
  }

  @Test
  void noProblemShowsASecret() {
    List<String> problems =
        problems(
            """
            databases:
              shop: {url: "jdbc:h2:mem:shop", username: u, password: "${PASSWORD}"}
            brokers:
              rabbit: {type: rabbitmq, uri: "amqp://u:${PASSWORD}@[host", destination: x}
              kafka:
                type: kafka
                bootstrap-servers: "${PASSWORD}"
                properties: {sasl.jaas.config: "${PASSWORD}"}
            tables:
              orders: {database: shop, mode: "${PASSWORD}", poller: {interval-ms: "${PASSWORD}"}}
            default: {broker: kafka, destination: "${PASSWORD} {x}"}
            """,
            Map.of("PASSWORD", "hunter2hunter2"));

    assertThat(problems).hasSize(5);
    assertThat(String.join("\n", problems)).doesNotContain("hunter2");
  }

  @Test
  void valuesFromOutsideAreNoYaml() throws Exception {
    String text = MINIMAL.replace("destination: all", "destination: '${TOPIC}.${ENV:-test}'");

    assertThat(problems(text, Map.of("TOPIC", "a, action: drop")))
        .containsExactly(
            "relay.yaml:7: default.destination: 'a, action: drop.test' is no topic: it may have"
                + " letters, digits, '.', '_' and '-', up to 249");
    assertThat(RelayFile.load(directory, text, Map.of("TOPIC", "a")).rules().all())
        .hasToString("[default: all -> events topic a.test]");
  }

  @Test
  void aDollarSignCanBeWritten() throws IOException {
    assertThat(problems(MINIMAL.replace("destination: all", "destination: \"a$${b\""), Map.of()))
        .containsExactly("relay.yaml:7: default.destination: a } is missing in 'a${b'");
  }
}
