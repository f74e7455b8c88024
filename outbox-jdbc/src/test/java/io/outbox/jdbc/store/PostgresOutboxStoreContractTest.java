package io.outbox.jdbc.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.EventEnvelope;
import io.outbox.jdbc.JdbcTemplate;
import io.outbox.model.EventRef;
import io.outbox.spi.Outcome;
import io.outbox.spi.OutcomeResult;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class PostgresOutboxStoreContractTest extends JdbcOutboxStoreContract {

  PostgresOutboxStoreContractTest() {
    super(Target.POSTGRES);
  }

  @Test
  void eventsThatAreDoneAtTheirFirstAttemptGetTheLatestOfTheirInstants() throws SQLException {
    try (Connection conn = openConnection()) {
      Instant latest = AT.plusMillis(3);
      for (String id : List.of("first", "second")) {
        store.insertNew(
            conn, EventEnvelope.builder("Tested").eventId(id).payloadJson("{}").build());
      }

      List<OutcomeResult> results =
          store.recordOutcomes(
              conn,
              List.of(
                  Outcome.done(EventRef.any("first"), 0, latest),
                  Outcome.done(EventRef.any("second"), 0, AT)));

      assertThat(results).containsExactly(OutcomeResult.WRITTEN, OutcomeResult.WRITTEN);
      assertThat(
              new JdbcTemplate()
                  .query(
                      conn,
                      "SELECT done_at FROM outbox_event",
                      row -> target.product().instant(row, 1)))
          .containsExactly(latest, latest);
    }
  }
}
