package io.outbox.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.outbox.EventEnvelope;
import io.outbox.Outbox;
import io.outbox.model.EventKey;
import io.outbox.testdb.TestDatabase;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Nodes that tell each other what they have committed, with an interval that is far too long. */
@Timeout(60)
class NotificationsTest {

  private static final int EVENTS = 100;
  private static final long INTERVAL_MS = 300_000;

  private static Outbox startNode(Scenario scenario, boolean notifications) {
    return scenario.start(
        scenario.orderedByKey().notifications(notifications).intervalMs(INTERVAL_MS));
  }

  /** Of so many keys some belong to each of two nodes. */
  private static List<EventEnvelope> events() {
    return IntStream.range(0, EVENTS)
        .mapToObj(
            n ->
                EventEnvelope.builder(Scenario.TYPE)
                    .orderingKey("key-" + n)
                    .payloadJson("{}")
                    .build())
        .toList();
  }

  private static List<Integer> lanesOfEach(Scenario scenario) throws SQLException {
    try (Connection conn = scenario.pool.getConnection();
        Statement statement = conn.createStatement();
        ResultSet row =
            statement.executeQuery(
                "SELECT count(*) FROM outbox_event_lane WHERE owner IS NOT NULL GROUP BY owner")) {
      List<Integer> lanes = new ArrayList<>();
      while (row.next()) {
        lanes.add(row.getInt(1));
      }
      return lanes;
    }
  }

  /** Two nodes that have looked through their lanes, which they do as soon as they have them. */
  private static Outbox startTwoNodes(Scenario scenario, boolean notifications) {
    Outbox first = startNode(scenario, notifications);
    startNode(scenario, notifications);
    await().until(() -> lanesOfEach(scenario), List.of(32, 32)::equals);
    EventEnvelope before = EventEnvelope.builder(Scenario.TYPE).payloadJson("{}").build();
    scenario.write(first.writer(), before);
    return first;
  }

  @Test
  void theOwnerOfAKeyHearsOfWhatAnotherNodeCommits() {
    try (Scenario scenario = Scenario.orderedByKeyOn(TestDatabase.POSTGRES)) {
      Outbox writing = startTwoNodes(scenario, true);
      events().forEach(event -> scenario.write(writing.writer(), event));

      await().until(() -> delivered(scenario).size() == EVENTS);
    }
  }

  @Test
  void withoutNotificationsItWaitsForTheInterval() {
    try (Scenario scenario = Scenario.orderedByKeyOn(TestDatabase.POSTGRES)) {
      Outbox writing = startTwoNodes(scenario, false);
      await("the second node to have looked").pollDelay(Duration.ofSeconds(1)).until(() -> true);
      events().forEach(event -> scenario.write(writing.writer(), event));

      await().until(() -> delivered(scenario).size() > EVENTS / 4);
      await()
          .during(Duration.ofSeconds(1))
          .until(() -> delivered(scenario).size() < EVENTS * 3 / 4);
    }
  }

  private static Set<String> delivered(Scenario scenario) {
    Set<String> keys = new HashSet<>();
    for (EventEnvelope event : scenario.deliveries.events()) {
      if (event.orderingKey() != null) {
        keys.add(EventKey.of(event).name());
      }
    }
    return keys;
  }

  @Test
  void aListeningConnectionThatBreaksIsReplaced() throws SQLException {
    try (Scenario scenario = Scenario.orderedByKeyOn(TestDatabase.POSTGRES)) {
      Outbox writing = startTwoNodes(scenario, true);
      await().until(() -> listeners(scenario, "pid") == 2);
      listeners(scenario, "pg_terminate_backend(pid)");

      await()
          .pollInterval(Duration.ofSeconds(1))
          .until(
              () -> {
                // What is told while nobody listens is not heard.
                events().forEach(event -> scenario.write(writing.writer(), event));
                return delivered(scenario).size() == EVENTS;
              });
    }
  }

  private static int listeners(Scenario scenario, String what) throws SQLException {
    try (Connection conn = scenario.pool.getConnection();
        Statement statement = conn.createStatement();
        ResultSet row =
            statement.executeQuery(
                "SELECT count("
                    + what
                    + ") FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'LISTEN %'")) {
      row.next();
      return row.getInt(1);
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = TestDatabase.class,
      names = {"H2", "MARIADB"})
  void R17_onlyPostgresHasThem(TestDatabase kind) {
    try (Scenario scenario = Scenario.orderedByKeyOn(kind)) {
      assertThatThrownBy(() -> startNode(scenario, true))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("PostgreSQL");
      assertThat(scenario.deliveries.events()).isEmpty();
    }
  }
}
