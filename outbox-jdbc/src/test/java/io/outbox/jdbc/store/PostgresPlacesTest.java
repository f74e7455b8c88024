package io.outbox.jdbc.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.jdbc.JdbcTemplate;
import io.outbox.model.EventRef;
import io.outbox.spi.Outcome;
import io.outbox.spi.OutcomeResult;
import io.outbox.spi.PendingBatch;
import io.outbox.spi.PendingQuery;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** PostgreSQL's statements find rows by their place, which is one in each part of a table. */
class PostgresPlacesTest {

  private static final JdbcTemplate JDBC = new JdbcTemplate();
  private static final Instant AT = Instant.parse("2025-06-01T10:00:00Z");

  private final Target target = Target.POSTGRES;
  private final PostgresOutboxStore store = new PostgresOutboxStore("outbox_parts");
  private Connection conn;

  @BeforeEach
  void aTableOfTwoParts() throws SQLException {
    target.deleteAllEvents(); // makes sure of the table that is copied
    conn = target.connect();
    conn.setAutoCommit(false);
    JDBC.update(conn, "CREATE TABLE outbox_parts (LIKE outbox_event INCLUDING ALL)");
    JDBC.update(conn, "CREATE TABLE outbox_parts_old () INHERITS (outbox_parts)");
    insert("outbox_parts", "new");
    insert("outbox_parts_old", "old");
    assertThat(
            JDBC.query(
                conn, "SELECT DISTINCT ctid::text FROM outbox_parts", row -> row.getString(1)))
        .containsExactly("(0,1)");
  }

  @AfterEach
  void forget() throws SQLException {
    conn.rollback();
    conn.close();
  }

  private void insert(String table, String id) {
    JDBC.update(
        conn,
        "INSERT INTO "
            + table
            + " (event_id, event_type, payload, status, available_at, created_at, seq)"
            + " VALUES (?, 'Tested', '{}', 0, ?, ?, 1)",
        id,
        target.product().parameter(AT),
        target.product().parameter(AT));
  }

  private List<String> pending() {
    return JDBC.query(
        conn,
        "SELECT event_id FROM outbox_parts WHERE status = 0 AND locked_by IS NULL",
        row -> row.getString(1));
  }

  @Test
  void R1_anOutcomeIsNotWrittenToARowAtTheSamePlaceOfAnotherPart() {
    List<OutcomeResult> results =
        store.recordOutcomes(conn, List.of(Outcome.done(EventRef.any("new"), 0, AT)));

    assertThat(results).containsExactly(OutcomeResult.WRITTEN);
    assertThat(pending()).containsExactly("old");
  }

  @Test
  void R1_noRowAtTheSamePlaceOfAnotherPartIsDeleted() {
    List<OutcomeResult> results =
        store.recordOutcomes(conn, List.of(Outcome.deleted(EventRef.any("old"), 0, AT)));

    assertThat(results).containsExactly(OutcomeResult.WRITTEN);
    assertThat(pending()).containsExactly("new");
  }

  @Test
  void R4_noRowAtTheSamePlaceOfAnotherPartIsClaimed() {
    PendingBatch batch =
        store.fetchPending(
            conn,
            new PendingQuery(
                AT.plusSeconds(1),
                Duration.ZERO,
                1,
                AT.minusSeconds(60),
                "me",
                1 << 20,
                List.of(),
                null));

    assertThat(batch.events()).hasSize(1);
    assertThat(pending()).hasSize(1).doesNotContain(batch.events().get(0).eventId());
  }
}
