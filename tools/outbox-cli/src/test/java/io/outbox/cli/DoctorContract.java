package io.outbox.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.outbox.EventEnvelope;
import io.outbox.jdbc.OutboxSchema;
import io.outbox.jdbc.store.AbstractJdbcOutboxStore;
import io.outbox.jdbc.store.JdbcOutboxStores;
import io.outbox.testdb.Database;
import io.outbox.testdb.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.stream.StreamSupport;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * What the doctor finds in tables that are broken, and that nothing is found in one that is not.
 */
abstract class DoctorContract {

  final Database database;
  final DataSource dataSource;
  final CliRun cli;

  DoctorContract(TestDatabase kind) {
    database = kind.fresh();
    dataSource = database.dataSource();
    cli = CliRun.on(database);
  }

  @BeforeEach
  void createTables() {
    OutboxSchema.create(dataSource);
  }

  @AfterEach
  void drop() {
    database.close();
  }

  /** Drops the index that claims use. */
  abstract String dropDueIndex();

  final void execute(String... statements) {
    try (Connection conn = dataSource.getConnection();
        Statement statement = conn.createStatement()) {
      for (String sql : statements) {
        statement.execute(sql);
      }
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  final String write(String type) {
    AbstractJdbcOutboxStore store = JdbcOutboxStores.detect(dataSource);
    EventEnvelope event = EventEnvelope.builder(type).payloadJson("{}").build();
    try (Connection conn = dataSource.getConnection()) {
      store.insertNew(conn, event);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
    return event.eventId();
  }

  /** What a check said that is not fine. */
  final List<JsonObject> findings(String check, String... words) {
    String[] all = new String[words.length + 2];
    all[0] = "doctor";
    all[1] = "--json";
    System.arraycopy(words, 0, all, 2, words.length);
    CliRun.Result result = cli.run(all);
    return StreamSupport.stream(result.json().getAsJsonArray("findings").spliterator(), false)
        .map(JsonElement::getAsJsonObject)
        .filter(finding -> finding.get("check").getAsString().equals(check))
        .filter(finding -> !finding.get("level").getAsString().equals("OK"))
        .toList();
  }

  final void assertFinding(String check, String level, String says, String todo) {
    List<JsonObject> findings = findings(check);
    assertThat(findings)
        .as(check)
        .anySatisfy(
            finding -> {
              assertThat(finding.get("level").getAsString()).isEqualTo(level);
              assertThat(finding.get("says").getAsString()).contains(says);
              assertThat(finding.get("means").getAsString()).isNotBlank();
              assertThat(finding.get("todo").getAsString()).contains(todo);
            });
  }

  @Test
  void aHealthyTableHasNoFindings() {
    write("X");

    CliRun.Result result = cli.run("doctor", "--strict");

    assertThat(result.exitCode()).as(result.toString()).isZero();
    assertThat(result.out())
        .containsPattern("OK +schema +outbox_event has its columns and indexes")
        .containsPattern("OK +claim plan +due events are found through the index")
        .containsPattern("OK +isolation")
        .containsPattern("OK +clock")
        .containsPattern("OK +purge")
        .contains(" 0 warnings, 0 problems");
  }

  @Test
  void aMissingTableIsAProblem() {
    CliRun.Result result = cli.run("doctor", "--table", "elsewhere");

    assertThat(result.exitCode()).isEqualTo(ExitCode.PROBLEMS_FOUND);
    assertThat(result.out()).contains("there is no table elsewhere").contains("schema create");
  }

  @Test
  void aDroppedIndexIsFoundAndSoIsWhatItCosts() {
    execute(dropDueIndex());

    CliRun.Result result = cli.run("doctor");

    assertThat(result.exitCode()).as(result.toString()).isEqualTo(ExitCode.PROBLEMS_FOUND);
    assertFinding("schema", "PROBLEM", "outbox_event_due", "schema migrate");
    assertThat(findings("claim plan")).isNotEmpty();
    assertThat(cli.run("schema", "migrate", "--yes").exitCode()).isZero();
    assertThat(cli.run("doctor").exitCode()).isZero();
  }

  @Test
  void aMissingColumnIsFoundAndNothingElseBreaks() {
    execute("ALTER TABLE outbox_event DROP COLUMN claims");

    assertThat(cli.run("doctor").exitCode()).isEqualTo(ExitCode.PROBLEMS_FOUND);
    assertFinding("schema", "PROBLEM", "claims", "schema migrate");
  }

  @Test
  void aStatusThatNobodyKnowsIsFound() {
    write("X");
    execute("UPDATE outbox_event SET status = 7");

    assertFinding("status", "PROBLEM", "1 rows", "SELECT event_id");
  }

  @Test
  void missingOperatorTablesAreFound() {
    execute("DROP TABLE outbox_event_pause", "DROP TABLE outbox_event_audit");

    assertFinding("operator", "WARNING", "missing", "schema create");
    assertThat(cli.run("doctor").exitCode()).as("delivery goes on").isZero();
    assertThat(cli.run("doctor", "--strict").exitCode()).isEqualTo(ExitCode.PROBLEMS_FOUND);
  }

  @Test
  void aPauseIsFound() {
    cli.run("pause", "--type", "Mail", "--reason", "mail server");

    assertFinding("operator", "WARNING", "mail server", "outbox resume --type Mail");
  }

  @Test
  void oldFinishedEventsAreFound() {
    write("X");
    execute(
        "UPDATE outbox_event SET status = 1, done_at = '2026-01-01 00:00:00',"
            + " created_at = '2026-01-01 00:00:00'");

    assertFinding("purge", "WARNING", "the oldest finished event", "outbox purge --until 7d");
    assertThat(findings("purge", "--retention", "10000d")).isEmpty();
  }

  @Test
  void stuckLeasesLateAndDeadEventsAreFound() {
    write("X");
    execute("UPDATE outbox_event SET locked_by = 'gone', locked_at = '2026-01-01 00:00:00'");
    write("Y");
    execute("UPDATE outbox_event SET available_at = '2026-01-01 00:00:00' WHERE event_type = 'Y'");
    write("Z");
    execute("UPDATE outbox_event SET status = 3 WHERE event_type = 'Z'");

    assertFinding("leases", "WARNING", "1 event", "outbox release --stuck");
    assertFinding("delivery", "WARNING", "due since", "outbox status");
    assertFinding("delivery", "WARNING", "1 event DEAD", "outbox replay");
  }

  @Test
  void blockedKeysAndLanesWithoutAnOwnerAreFound() {
    OutboxSchema.createOrderedByKey(dataSource);
    assertThat(findings("keys")).isEmpty();
    execute(
        "UPDATE outbox_event_lane SET owner = 'gone', owned_until = '2026-01-01 00:00:00'"
            + " WHERE lane < 10",
        "INSERT INTO outbox_event_block (key_name, lane, event_id, blocked_at)"
            + " VALUES ('order-17', 1, 'e17', '2026-01-01 00:00:00')");

    assertFinding("keys", "WARNING", "64 of 64 lanes have no owner", "orderedByKey()");
    assertFinding("keys", "WARNING", "order-17", "outbox skip e17");
  }
}
