package io.outbox.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.outbox.jdbc.OutboxSchema;
import io.outbox.testbrokers.KafkaBroker;
import io.outbox.testdb.Database;
import io.outbox.testdb.TestDatabase;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Relays as processes of their own, from PostgreSQL to Kafka. */
class RelayProcessTest {

  private static final int MANY = 12_000;
  private static final int MOST = 5 * MANY;
  private static final Duration LONG = Duration.ofMinutes(2);

  @TempDir Path directory;

  private Database database;
  private DataSource dataSource;
  private KafkaTopic topic;

  @BeforeEach
  void prepare() throws Exception {
    database = TestDatabase.POSTGRES.fresh();
    dataSource = database.dataSource();
    topic = new KafkaTopic();
    OutboxSchema.create(dataSource);
    OutboxSchema.createOrderedByKey(dataSource);
  }

  @AfterEach
  void close() throws Exception {
    topic.close();
    database.close();
  }

  private Path config(String mode) {
    return RelayFile.write(
        directory,
        """
        http: {port: 0}
        databases:
          shop:
            url: %s
            username: "%s"
            password: "${DATABASE_PASSWORD}"
        brokers:
          events: {type: kafka, bootstrap-servers: "%s"}
        tables:
          orders:
            database: shop
            mode: %s
            poller: {interval-ms: 100}
            %s
        default: {broker: events, destination: %s}
        """
            .formatted(
                database.jdbcUrl(),
                database.user(),
                KafkaBroker.shared().bootstrapServers(),
                mode,
                mode.equals("multi-node")
                    ? "claim-locking: {lock-timeout: 3s}"
                    : "ordered-by-key: {lease: 3s}",
                topic.name()));
  }

  private RelayProcess start(Path config) throws Exception {
    return RelayProcess.start(config, Map.of("DATABASE_PASSWORD", database.password()));
  }

  /** Rows as any program would insert them, of 500 aggregates. */
  private void insert(int from, int to) throws Exception {
    try (Connection connection = dataSource.getConnection();
        PreparedStatement insert =
            connection.prepareStatement(
                """
                INSERT INTO outbox_event (event_id, event_type, aggregate_type, aggregate_id,
                  payload, status, available_at, created_at)
                SELECT 'e-' || i, 'OrderPlaced', 'Order', (i % 500)::text,
                  ('{"number": ' || i || '}')::json, 0, now(), now()
                FROM generate_series(?, ?) AS i
                """)) {
      insert.setInt(1, from);
      insert.setInt(2, to);
      insert.executeUpdate();
    }
  }

  private static Set<String> ids(int count) {
    return IntStream.rangeClosed(1, count).mapToObj(i -> "e-" + i).collect(Collectors.toSet());
  }

  private long count(String condition) throws Exception {
    try (Connection connection = dataSource.getConnection();
        Statement statement = connection.createStatement();
        ResultSet rows =
            statement.executeQuery("SELECT count(*) FROM outbox_event WHERE " + condition)) {
      rows.next();
      return rows.getLong(1);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"multi-node", "ordered-by-key"})
  void ofARelayThatIsKilledInTheMiddleNothingIsLost(String mode) throws Exception {
    Path config = config(mode);
    int written = 0;
    do { // until it is killed before it is done
      int some = written + MANY / 10;
      insert(written + 1, written + MANY);
      written += MANY;
      try (RelayProcess first = start(config)) {
        await().atMost(LONG).until(() -> topic.ids().size() > some);
        first.kill();
      }
    } while (count("status = 1") == written && written < MOST);
    int all = written;
    assertThat(count("status = 1")).as("done when it was killed").isLessThan(all);

    try (RelayProcess second = start(config)) {
      await().atMost(LONG).until(() -> count("status = 1") == all);
      await().atMost(LONG).until(() -> topic.ids().size() == all);
      assertThat(topic.ids()).isEqualTo(ids(all));
      assertThat(second.terminate(LONG)).isEqualTo(143);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"multi-node", "ordered-by-key"})
  void twoRelaysOnOneTableShareTheWork(String mode) throws Exception {
    Path config = config(mode);
    try (RelayProcess one = start(config);
        RelayProcess two = start(config)) {
      Monitor ofOne = one.monitor();
      Monitor ofTwo = two.monitor();
      await().atMost(LONG).until(() -> isReady(ofOne, mode) && isReady(ofTwo, mode));
      int written = 0;
      while (written < MANY || (!share(ofOne, ofTwo) && written < MOST)) {
        insert(written + 1, written + MANY / 12);
        written += MANY / 12;
        int all = written; // one that the machine gives no time cannot take its share at once
        if (all >= MANY) {
          await().atMost(LONG).until(() -> delivered(ofOne) + delivered(ofTwo) == all);
        }
      }
      int all = written;
      await().atMost(LONG).until(() -> topic.ids().size() == all);

      assertThat(topic.ids()).isEqualTo(ids(all));
      assertThat(delivered(ofOne)).as("of the first").isGreaterThanOrEqualTo(MANY / 5.0);
      assertThat(delivered(ofTwo)).as("of the second").isGreaterThanOrEqualTo(MANY / 5.0);
      System.out.printf("%s: %.0f and %.0f%n", mode, delivered(ofOne), delivered(ofTwo));
    }
  }

  private static boolean share(Monitor one, Monitor two) {
    return Math.min(delivered(one), delivered(two)) >= MANY / 5.0;
  }

  private static boolean isReady(Monitor monitor, String mode) {
    return monitor.get("/health").statusCode() == 200
        && (mode.equals("multi-node") || monitor.metric("outbox_lanes_owned", "orders") > 0);
  }

  private static double delivered(Monitor monitor) {
    return monitor.metric("outbox_dispatch_success_total", "orders");
  }

  @Test
  void sigtermDeliversWhatIsQueuedAndEndsInTime() throws Exception {
    try (RelayProcess relay = start(config("multi-node"))) {
      relay.monitor();
      insert(1, 2000);
      await().atMost(LONG).until(() -> !topic.ids().isEmpty());

      assertThat(relay.terminate(LONG)).isEqualTo(143);
      assertThat(count("locked_by IS NOT NULL AND status IN (0, 2)")).as("leases kept").isZero();
      long done = count("status = 1");
      await("what is done to arrive").atMost(LONG).until(() -> topic.ids().size() == done);
      assertThat(relay.log()).last().asString().contains("stopped");
    }
  }

  @Test
  void theLogSaysWhatIsReadAndWhereItGoesWithoutNoiseAndSecrets() throws Exception {
    try (RelayProcess relay =
        RelayProcess.start(
            RelayFile.write(
                directory,
                """
                http: {port: 0}
                databases:
                  shop: {url: "%s", username: "%s", password: "${SECRET}"}
                brokers:
                  events:
                    type: kafka
                    bootstrap-servers: "%s"
                    properties: {client.id: "${SECRET}"}
                tables:
                  orders: {database: shop}
                default: {broker: events, destination: "%s"}
                """
                    .formatted(
                        database.jdbcUrl(),
                        database.user(),
                        KafkaBroker.shared().bootstrapServers(),
                        topic.name())),
            Map.of("SECRET", "hunter2hunter2"))) {
      relay.monitor();
      assertThat(relay.terminate(LONG)).isEqualTo(143);

      assertThat(relay.log())
          .map(line -> line.replaceFirst("^\\S+ ", ""))
          .containsExactly(
              "INFO    Relay: reads table orders (outbox_event of shop, multi-node, every 500ms)",
              "INFO    Relay:   default: all -> events topic " + topic.name(),
              "INFO    Relay: broker events is Kafka at " + KafkaBroker.shared().bootstrapServers(),
              relay.log().get(3).replaceFirst("^\\S+ ", ""),
              "INFO    Relay: stopping: delivering queued events; all others wait in"
                  + " their table",
              "INFO    Relay: stopped");
    }
  }
}
