package io.outbox.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.testdb.TestDatabase;
import java.sql.Connection;
import java.sql.Statement;
import org.junit.jupiter.api.Test;

class PostgresDoctorTest extends DoctorContract {

  PostgresDoctorTest() {
    super(TestDatabase.POSTGRES);
  }

  @Override
  String dropDueIndex() {
    return "DROP INDEX outbox_event_due";
  }

  @Test
  void anInvalidIndexIsFound() {
    execute(
        "UPDATE pg_index SET indisvalid = false"
            + " WHERE indexrelid = 'outbox_event_finished'::regclass");

    assertFinding("indexes", "PROBLEM", "outbox_event_finished", "REINDEX INDEX CONCURRENTLY");
  }

  @Test
  void autovacuumSwitchedOffIsFound() {
    execute("ALTER TABLE outbox_event SET (autovacuum_enabled = false)");

    assertFinding("vacuum", "PROBLEM", "switched off", "RESET (autovacuum_enabled)");
  }

  @Test
  void aTransactionThatIsHeldOpenIsFound() throws Exception {
    write("X");
    assertThat(findings("transactions", "--transaction-age", "0s")).isEmpty();
    try (Connection held = dataSource.getConnection();
        Statement statement = held.createStatement()) {
      held.setAutoCommit(false);
      statement.execute("UPDATE outbox_event SET attempts = 1");
      assertThat(findings("transactions", "--transaction-age", "0s"))
          .singleElement()
          .satisfies(
              finding ->
                  assertThat(finding.get("todo").getAsString())
                      .containsPattern("pg_terminate_backend\\(\\d+\\)"));
      assertThat(findings("transactions")).as("young as yet").isEmpty();
      held.rollback();
    }
  }

  @Test
  void aDefaultIsolationThatGetsInTheWayIsFound() {
    execute(
        "ALTER DATABASE "
            + database.name()
            + " SET default_transaction_isolation = 'serializable'");

    assertFinding("isolation", "WARNING", "serializable", "READ COMMITTED");
  }

  /** A large table without the index is read from end to end, whatever the planner is told. */
  @Test
  void aClaimThatReadsALargeTableIsFound() {
    execute(
        "INSERT INTO outbox_event (event_id, event_type, payload, status, available_at, created_at,"
            + " done_at) SELECT 'e' || n, 'X', '{}', 1, now(), now(), now()"
            + " FROM generate_series(1, 20000) n",
        "DROP INDEX outbox_event_due",
        "ANALYZE outbox_event");

    assertFinding("claim plan", "PROBLEM", "reads the whole table", "ANALYZE outbox_event");
  }

  @Test
  void partitionsThatAreMissingAreFound() {
    execute("DROP TABLE outbox_event");
    assertThat(cli.run("schema", "create", "--rotated").exitCode()).isZero();
    write("X");
    CliRun.Result result = cli.run("doctor", "--json", "--strict");
    assertThat(result.exitCode()).as(result.out()).isZero();
    assertThat(result.out())
        .contains(
            "events can be written before a partition is missing",
            "there are 2 partitions, the oldest begins with seq 1");

    execute("SELECT setval(pg_get_serial_sequence('outbox_event', 'seq'), 2000000)");
    write("X");
    assertFinding("partitions", "WARNING", "no partition for the next", "PartitionRotation");
    assertThat(cli.run("schema", "create", "--rotated").exitCode()).isZero();
    assertFinding("partitions", "WARNING", "no partition for the next", "PartitionRotation");
    execute("SELECT setval(pg_get_serial_sequence('outbox_event', 'seq'), 3000000)"); // the gap
    write("X");
    assertFinding("partitions", "WARNING", "in the default partition", "PartitionRotation");
  }

  @Test
  void theDdlOfATableInPartitionsIsPrinted() {
    assertThat(cli.run("schema", "print", "--database", "postgresql", "--rotated").out())
        .contains("PARTITION BY RANGE (seq)", "outbox_event_kept", "outbox_event_member")
        .doesNotContain("ADD COLUMN waiting_since");
  }
}
