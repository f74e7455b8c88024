package io.outbox.jdbc.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.EventEnvelope;
import io.outbox.jdbc.OutboxSchema;
import io.outbox.jdbc.purge.H2EventPurger;
import io.outbox.model.OutboxEvent;
import io.outbox.spi.Outcome;
import io.outbox.spi.OutcomeResult;
import io.outbox.spi.PendingQuery;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** H2 in tests often plays another database. */
class H2ModesTest {

  @ParameterizedTest
  @ValueSource(
      strings = {
        "MODE=MySQL",
        "MODE=MySQL;DATABASE_TO_LOWER=TRUE;CASE_INSENSITIVE_IDENTIFIERS=TRUE",
        "MODE=MariaDB",
        "MODE=PostgreSQL",
        "MODE=PostgreSQL;DATABASE_TO_LOWER=TRUE;DEFAULT_NULL_ORDERING=HIGH",
        "MODE=LEGACY",
      })
  void theStoreWorksInTheModesOfH2(String mode) throws SQLException {
    Instant at = Instant.parse("2025-06-01T10:00:00Z");
    JdbcDataSource dataSource = new JdbcDataSource();
    dataSource.setURL("jdbc:h2:mem:modes;" + mode);
    try (Connection conn = dataSource.getConnection()) {
      OutboxSchema.create(dataSource);
      OutboxSchema.create(dataSource);
      AbstractJdbcOutboxStore store = JdbcOutboxStores.detect(dataSource);
      store.insertNew(
          conn, EventEnvelope.builder("Tested").occurredAt(at).payloadJson("[1]").build());
      List<OutboxEvent> claimed =
          store.fetchPending(conn, new PendingQuery(at, Duration.ZERO, 4, at, "me", null)).events();
      assertThat(claimed).hasSize(1);
      assertThat(
              store.recordOutcomes(conn, List.of(Outcome.dead(claimed.get(0).ref(), 1, at, "why"))))
          .containsExactly(OutcomeResult.WRITTEN);
      assertThat(store.countDead(conn, null)).isEqualTo(1);
      assertThat(new H2EventPurger().purge(conn, at.plusSeconds(1), 5)).isEqualTo(1);
    }
  }
}
