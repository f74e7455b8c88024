package io.outbox.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.outbox.testdb.TestDatabase;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class MariaDbDoctorTest extends DoctorContract {

  MariaDbDoctorTest() {
    super(TestDatabase.MARIADB);
  }

  @Override
  String dropDueIndex() {
    return "DROP INDEX outbox_event_due ON outbox_event";
  }

  @Test
  void anIgnoredIndexIsFound() {
    execute("ALTER TABLE outbox_event ALTER INDEX outbox_event_finished IGNORED");

    assertFinding("indexes", "PROBLEM", "outbox_event_finished", "NOT IGNORED");
  }

  @Test
  void aTransactionThatIsHeldOpenIsFound() throws Exception {
    write("X");
    assertThat(findings("transactions", "--transaction-age", "0s")).isEmpty();
    try (Connection held = dataSource.getConnection();
        Statement statement = held.createStatement()) {
      held.setAutoCommit(false);
      statement.execute("UPDATE outbox_event SET attempts = 1");
      // the server answers from a copy for as long as it is asked more often than this
      await()
          .atMost(Duration.ofSeconds(60))
          .pollInterval(Duration.ofMillis(300))
          .untilAsserted(
              () ->
                  assertThat(findings("transactions", "--transaction-age", "0s"))
                      .singleElement()
                      .satisfies(
                          finding ->
                              assertThat(finding.get("todo").getAsString())
                                  .containsPattern("KILL \\d+")));
      assertThat(findings("transactions")).as("young as yet").isEmpty();
      held.rollback();
    }
  }
}
