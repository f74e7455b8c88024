package io.outbox.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.outbox.AggregateType;
import io.outbox.EventEnvelope;
import io.outbox.cli.command.ExitCode;
import io.outbox.jdbc.OutboxSchema;
import io.outbox.jdbc.store.AbstractJdbcOutboxStore;
import io.outbox.jdbc.store.JdbcOutboxStores;
import io.outbox.model.EventRoute;
import io.outbox.spi.DeliveryMode;
import io.outbox.spi.MemberDetail;
import io.outbox.spi.MemberDetail.BusyListener;
import io.outbox.spi.MemberDetail.MissingListener;
import io.outbox.spi.MemberDetail.Outage;
import io.outbox.testdb.Database;
import io.outbox.testdb.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
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

  @Test
  void anIndexThatTheArchiveLacksIsFound() {
    assertThat(findings("archive")).isEmpty();
    OutboxSchema.createArchive(dataSource, "outbox_event");
    assertThat(findings("archive")).isEmpty();
    execute(
        "DROP INDEX outbox_event_archive_time"
            + (database.kind() == TestDatabase.MARIADB ? " ON outbox_event_archive" : ""));

    assertThat(findings("archive")).hasSize(database.kind() == TestDatabase.MARIADB ? 0 : 1);
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

  /** As a node that is alive says it. */
  private void beat(String node, DeliveryMode mode) {
    beat(node, mode, MemberDetail.NONE);
  }

  private void beat(String node, DeliveryMode mode, MemberDetail detail) {
    AbstractJdbcOutboxStore store = JdbcOutboxStores.detect(dataSource);
    try (Connection conn = dataSource.getConnection()) {
      store.members().orElseThrow().beat(conn, node, mode, Duration.ofMinutes(5), detail.write());
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void aMissingListOfNodesIsFoundAndCanBeAdded() {
    execute("DROP TABLE outbox_event_member");

    assertFinding("nodes", "WARNING", "outbox_event_member is missing", "schema create");
    assertThat(cli.run("doctor").exitCode()).as("delivery goes on").isZero();
    assertThat(cli.run("status").exitCode()).isZero();
    assertThat(cli.run("schema", "validate").out()).contains("outbox_event_member is missing");
    assertThat(cli.run("schema", "migrate", "--yes").out()).contains("is migrated");
    assertThat(findings("nodes")).isEmpty();
  }

  @Test
  void R24_aListenerThatIsDownIsToldWhereverItsEventsAre() {
    assertThat(findings("listeners")).isEmpty();
    String id = write("Placed");
    Instant since = Instant.now().minusSeconds(90);
    Outage outage =
        new Outage(
            "Kafka",
            "topic orders",
            Outage.OPEN,
            "refused \u001b[31m",
            since,
            Instant.now().plusSeconds(9),
            List.of(new EventRoute(null, "Placed")));
    beat("node-1", DeliveryMode.MULTI_NODE, new MemberDetail(List.of(outage), List.of()));

    assertFinding("listeners", "WARNING", "Kafka (topic orders) is down since", "tries it again");
    assertThat(cli.run("status").out())
        .containsPattern("Kafka \\(topic orders\\) .*node-1 .*refused")
        .doesNotContain("\u001b[31m");
    assertThat(cli.run("status", "--json").json().getAsJsonArray("outages").toString())
        .contains("\"listener\":\"Kafka\"", "\"nodes\":[\"node-1\"]");
    assertThat(cli.run("list").out()).contains("WAITS FOR").contains("listener Kafka");
    assertThat(cli.run("list", "--json").out()).contains("\"kind\": \"OUTAGE\"");
    assertThat(cli.run("show", id).out())
        .containsPattern("waits for +listener Kafka \\(topic orders\\), which is down \\(refused")
        .contains("next trial at");
    assertThat(cli.run("show", id, "--json").json().getAsJsonObject("waitsFor").toString())
        .contains("\"kind\":\"OUTAGE\"");

    beat("node-1", DeliveryMode.MULTI_NODE);
    assertThat(findings("listeners")).isEmpty();
    assertThat(cli.run("list").out()).doesNotContain("WAITS FOR");
    assertThat(cli.run("show", id).out()).containsPattern("waits for +its turn");
  }

  @Test
  void R24_aListenerThatIsBusyIsToldAndIsNoProblem() {
    String id = write("Placed");
    BusyListener busy =
        new BusyListener(
            "a place of listener Mails (2 at a time)",
            Instant.now(),
            List.of(new EventRoute(null, "Placed")));
    MemberDetail detail = new MemberDetail(List.of(), List.of(), 0, List.of(busy));
    beat("node-1", DeliveryMode.MULTI_NODE, detail);

    assertThat(findings("listeners")).isEmpty();
    assertThat(cli.run("doctor", "--json").out()).contains("; events wait for a place of listener");
    assertThat(cli.run("list").out()).contains("WAITS FOR").contains("a place of listener");
    assertThat(cli.run("show", id).out())
        .containsPattern("waits for +a place of listener Mails \\(2 at a time\\), since");
  }

  @Test
  void R24_aTypeThatNoNodeHasAListenerForIsToldBeforeItsEventsAreDead() {
    String id = write("Shipped");
    MissingListener missing =
        new MissingListener(
            new EventRoute(AggregateType.GLOBAL.name(), "Shipped"), Instant.now().minusSeconds(9));
    MemberDetail detail = new MemberDetail(List.of(), List.of(missing));
    beat("old", DeliveryMode.MULTI_NODE, detail);

    assertFinding("listeners", "WARNING", "no listener for Shipped on any node since", "start");
    assertThat(cli.run("status").out()).containsPattern("No listener on any node[^~]*Shipped +2");
    assertThat(cli.run("status", "--json").json().getAsJsonArray("withoutListener").toString())
        .contains("\"eventType\":\"Shipped\"");
    assertThat(cli.run("show", id).out()).contains("a listener, which no node has for it");

    beat("new", DeliveryMode.MULTI_NODE);
    assertThat(findings("listeners")).isEmpty();
    assertThat(cli.run("status").out()).doesNotContain("No listener");
  }

  @Test
  void dueEventsWithoutANodeAreFound() {
    assertThat(findings("nodes")).isEmpty();
    write("X");
    execute("UPDATE outbox_event SET available_at = TIMESTAMP '2025-06-01 10:00:00'");

    assertFinding("nodes", "WARNING", "no known node delivers", "start");
    assertThat(cli.run("status").out()).contains("Nodes: no known node delivers");
    beat("node-1", DeliveryMode.MULTI_NODE);
    assertThat(findings("nodes")).isEmpty();
  }

  @Test
  void aTableThatDoesNotSaySinceWhenEventsWaitIsFoundAndCanBeMigrated() {
    write("X");
    execute(
        dropDueIndex().replace("_due", "_waiting"),
        "ALTER TABLE outbox_event DROP COLUMN waiting_since");

    assertFinding("lag", "WARNING", "column waiting_since is missing", "schema migrate");
    assertThat(cli.run("doctor").exitCode()).as("delivery goes on").isZero();
    assertThat(cli.run("status").exitCode()).isZero();
    CliRun.Result validation = cli.run("schema", "validate");
    assertThat(validation.out()).contains("waiting_since is missing");
    assertThat(validation.toString()).contains("outbox schema migrate");
    assertThat(cli.run("schema", "migrate", "--yes").out()).contains("is migrated");
    assertThat(findings("lag")).isEmpty();
  }

  @Test
  void R24_anEventThatIsDeferredAgainAndAgainIsFound() {
    String id = write("X");
    AbstractJdbcOutboxStore store = JdbcOutboxStores.detect(dataSource);
    try (Connection conn = dataSource.getConnection()) {
      store.markDeferred(conn, id, Instant.now().plusSeconds(3));
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
    execute("UPDATE outbox_event SET waiting_since = TIMESTAMP '2025-06-01 10:00:00'");

    assertFinding("delivery", "WARNING", "the oldest undelivered event has been due for", "status");
    assertThat(cli.run("status", "--json").json().get("lagSeconds").getAsDouble())
        .isGreaterThan(300 * 24 * 3600.0);
    assertThat(cli.run("status").out()).containsPattern("lag .*first due 2025-0[56]-");
  }

  @Test
  void R22_aSecondProcessInAModeForOneIsFound() {
    beat("first", DeliveryMode.SINGLE_NODE);
    assertThat(findings("nodes")).isEmpty();
    beat("second", DeliveryMode.SINGLE_NODE);
    beat("first", DeliveryMode.SINGLE_NODE);
    beat("second", DeliveryMode.SINGLE_NODE);

    assertFinding("nodes", "PROBLEM", "first (SINGLE_NODE)", "multiNode()");
    assertThat(cli.run("status").out())
        .containsPattern("second +SINGLE_NODE.*beside another process");
    assertThat(cli.run("status", "--json").json().getAsJsonArray("nodes"))
        .hasSize(2)
        .allSatisfy(node -> assertThat(node.toString()).contains("\"second\":true"));
  }

  @Test
  void R22_aNodeThatWaitsForAnotherModeIsFound() {
    beat("old", DeliveryMode.MULTI_NODE);
    beat("new", DeliveryMode.ORDERED_BY_KEY);

    assertFinding("nodes", "WARNING", "new (ORDERED_BY_KEY)", "outbox status");
    assertThat(cli.run("status").out()).containsPattern("new +ORDERED_BY_KEY.*waits");
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
    assertFinding("delivery", "WARNING", "has been due for", "outbox status");
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
