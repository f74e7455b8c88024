package io.outbox.jdbc.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.EventEnvelope;
import io.outbox.jdbc.OutboxSchema;
import io.outbox.model.OutboxEvent;
import io.outbox.spi.NewEvent;
import io.outbox.spi.Outcome;
import io.outbox.spi.OutcomeResult;
import io.outbox.spi.PendingQuery;
import io.outbox.testdb.Database;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.TimeZone;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Drivers can be told to convert times and to prepare statements in ways of their own. */
class DriverSettingsTest {

  /** Does not exist in New York, where clocks were put forward. */
  private static final Instant AT = Instant.parse("2025-03-09T02:30:00.000001Z");

  private final TimeZone zone = TimeZone.getDefault();

  @BeforeEach
  void moveToNewYork() {
    TimeZone.setDefault(TimeZone.getTimeZone("America/New_York"));
  }

  @AfterEach
  void moveBack() {
    TimeZone.setDefault(zone);
  }

  @ParameterizedTest
  @CsvSource({
    "POSTGRES, preferQueryMode=simple",
    "POSTGRES, prepareThreshold=1",
    "POSTGRES, prepareThreshold=-1",
    "POSTGRES, stringtype=unspecified",
    "MARIADB, useServerPrepStmts=true",
    "MARIADB, timezone=+09:00",
    "MARIADB, useBulkStmts=true&useAffectedRows=true",
    "MARIADB_CONNECTOR_J, useServerPrepStmts=true",
    "MARIADB_CONNECTOR_J, connectionTimeZone=%2B09:00&forceConnectionTimeZoneToSession=true",
    "MARIADB_CONNECTOR_J, rewriteBatchedStatements=true&useAffectedRows=true",
  })
  void R10_instantsAndOutcomesAreExactWhateverTheDriverIsToldToDo(Target target, String settings)
      throws SQLException {
    AbstractJdbcOutboxStore store = target.store();
    try (Database database = target.fresh()) {
      OutboxSchema.create(target.dataSource(database));
      try (Connection conn = connect(target, database, settings)) {
        List<NewEvent> events =
            IntStream.range(0, 5)
                .mapToObj(i -> EventEnvelope.builder("Tested").occurredAt(AT.plusNanos(i * 1000L)))
                .map(event -> NewEvent.unleased(event.payloadJson("{}").build()))
                .toList();
        store.insertAll(conn, events);
        List<OutboxEvent> claimed =
            store
                .fetchPending(
                    conn, new PendingQuery(AT.plusSeconds(1), Duration.ZERO, 9, AT, "me", null))
                .events();
        assertThat(claimed)
            .extracting(OutboxEvent::createdAt)
            .isEqualTo(events.stream().map(event -> event.envelope().occurredAt()).toList());

        List<Outcome> outcomes =
            claimed.stream()
                .map(row -> Outcome.retry(row.ref(), 1, row.createdAt().plusSeconds(60), "why"))
                .toList();
        assertThat(store.recordOutcomes(conn, outcomes)).containsOnly(OutcomeResult.WRITTEN);
        assertThat(store.recordOutcomes(conn, outcomes)).containsOnly(OutcomeResult.ALREADY_THERE);
        OutboxEvent row = target.find(conn, claimed.get(0).eventId()).orElseThrow();
        assertThat(row.availableAt()).isEqualTo(AT.plusSeconds(60));
        assertThat(row.lastError()).isEqualTo("why");
      }
    }
  }

  @ParameterizedTest
  @CsvSource({
    "POSTGRES, preferQueryMode=simple",
    "POSTGRES, prepareThreshold=-1",
    "POSTGRES, stringtype=unspecified",
    "MARIADB, useServerPrepStmts=true",
    "MARIADB, timezone=+09:00",
    "MARIADB, sessionVariables=timestamp=2000000000",
    "MARIADB_CONNECTOR_J, useServerPrepStmts=true",
    "MARIADB_CONNECTOR_J, connectionTimeZone=%2B09:00&forceConnectionTimeZoneToSession=true",
  })
  void R20_anUndelayedEventIsDueAtOnceWhateverTheDriverIsToldToDo(Target target, String settings)
      throws SQLException {
    AbstractJdbcOutboxStore store = target.store();
    try (Database database = target.fresh()) {
      OutboxSchema.create(target.dataSource(database));
      try (Connection conn = connect(target, database, settings);
          Connection other = target.dataSource(database).getConnection()) {
        Instant now = store.currentTime(other).orElseThrow();
        EventEnvelope.Builder event =
            EventEnvelope.builder("Tested").payloadJson("{}").occurredAt(now.plusSeconds(300));
        List<EventEnvelope> ahead = List.of(event.build(), event.build());
        EventEnvelope behind = event.occurredAt(AT).build();
        boolean fixedTime = settings.contains("timestamp=");
        store.insertNew(conn, ahead.get(0));
        store.insertAll(conn, List.of(NewEvent.unleased(ahead.get(1)), NewEvent.unleased(behind)));

        for (EventEnvelope one : ahead) {
          assertThat(target.find(other, one.eventId()).orElseThrow().availableAt())
              .isBetween(now, fixedTime ? one.occurredAt() : now.plusSeconds(100));
        }
        assertThat(target.find(other, behind.eventId()).orElseThrow().availableAt()).isEqualTo(AT);
      }
    }
  }

  private static Connection connect(Target target, Database database, String settings)
      throws SQLException {
    String url =
        target == Target.MARIADB_CONNECTOR_J ? database.connectorJUrl() : database.jdbcUrl();
    return DriverManager.getConnection(
        url + (url.contains("?") ? "&" : "?") + settings, database.user(), database.password());
  }
}
