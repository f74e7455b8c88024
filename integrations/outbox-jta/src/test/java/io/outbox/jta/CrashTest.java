package io.outbox.jta;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.it.ChildJvm;
import io.outbox.jdbc.OutboxSchema;
import io.outbox.testdb.Database;
import io.outbox.testdb.TestDatabase;
import io.outbox.testing.Await;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A JVM that ends between prepare and commit; the next one recovers its transaction. */
class CrashTest {

  private static final Duration PATIENCE = Duration.ofSeconds(90);

  @TempDir Path directory;
  private Database database;

  @BeforeEach
  void open() {
    database = Databases.fresh(TestDatabase.POSTGRES);
    OutboxSchema.create(database.dataSource());
  }

  @Test
  void R1_anEventWhoseCommitWasDecidedIsDeliveredAfterTheRecovery() throws Exception {
    run(CrashingNode.AFTER_THE_DECISION);
    assertInDoubt();

    assertThat(run(CrashingNode.RECOVER))
        .containsExactlyInAnyOrder("delivered Interrupted", "delivered Recovered");
    assertThat(column("SELECT event_type FROM outbox_event"))
        .containsExactlyInAnyOrder("Interrupted", "Recovered");
  }

  @Test
  void R2_anEventWhoseCommitWasNotDecidedIsRolledBackByTheRecovery() throws Exception {
    run(CrashingNode.BEFORE_THE_DECISION);
    assertInDoubt();

    assertThat(run(CrashingNode.RECOVER)).containsExactly("delivered Recovered");
    assertThat(column("SELECT event_type FROM outbox_event")).containsExactly("Recovered");
  }

  private void assertInDoubt() throws Exception {
    assertThat(column(CrashingNode.PREPARED)).hasSize(1);
    assertThat(column("SELECT event_type FROM outbox_event")).isEmpty();
  }

  private List<String> column(String sql) throws Exception {
    return Databases.column(database.dataSource(), sql);
  }

  /** Returns the lines about deliveries. */
  private List<String> run(String action) throws Exception {
    Path log = directory.resolve(action + ".log");
    List<String> arguments =
        List.of(
            action,
            directory.resolve("narayana").toString(),
            database.jdbcUrl(),
            database.user(),
            database.password());
    try (ChildJvm jvm = new ChildJvm(CrashingNode.class, log, arguments)) {
      Await.until(() -> "the end of the JVM: " + jvm.output(), PATIENCE, () -> !jvm.isAlive());
      assertThat(jvm.output()).doesNotContain("Exception in thread");
      return jvm.output().lines().filter(line -> line.startsWith("delivered ")).toList();
    }
  }
}
