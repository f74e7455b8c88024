package io.outbox.moving;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.outbox.cli.Cli;
import io.outbox.jdbc.OutboxSchema;
import io.outbox.testdb.Database;
import io.outbox.testdb.TestDatabase;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An import that is killed in the middle is continued: nothing is lost or doubled. */
class KilledImportTest {

  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final int ROWS = 8_000;

  @TempDir private Path directory;

  private Process start(Database database, String mode) throws IOException {
    List<String> command =
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-cp",
            System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
            "io.outbox.cli.OutboxCli");
    List<String> words = new ArrayList<>(command);
    words.addAll(List.of("import", "--from", "namastack", mode, "--batch", "20"));
    ProcessBuilder process = new ProcessBuilder(words);
    process.environment().putAll(Cli.environment(database));
    process.redirectErrorStream(true).redirectOutput(directory.resolve("out").toFile());
    return process.start();
  }

  @ParameterizedTest
  @ValueSource(strings = {"--take", "--copy"})
  void itContinues(String mode) throws Exception {
    try (Database database = TestDatabase.POSTGRES.fresh()) {
      HikariDataSource dataSource = database.pooled(4);
      OutboxSchema.create(dataSource);
      try (NamastackApp app = new NamastackApp(dataSource, "1h", order -> {})) {
        app.write(new OrderPlaced(0, "first"));
      }
      Sql.execute(
          dataSource,
          """
          INSERT INTO outbox_record SELECT gen_random_uuid()::text, 'NEW', 'customer-' || n,
            record_type, '{"number":' || n || '}', context, created_at + n * interval '1 ms', NULL,
            0, NULL, next_retry_at, partition_no, handler_id
          FROM outbox_record, generate_series(1, %d) n
          """
              .formatted(ROWS - 1));

      Process process = start(database, mode);
      await()
          .atMost(PATIENCE)
          .pollInterval(Duration.ofMillis(5))
          .until(() -> Sql.count(dataSource, "outbox_event") > ROWS / 10);
      process.destroyForcibly();
      assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
      await()
          .atMost(PATIENCE)
          .until(
              () ->
                  Sql.count(dataSource, "pg_stat_activity WHERE application_name = 'outbox'") == 0);
      long first = Sql.count(dataSource, "outbox_event");
      long left = Sql.count(dataSource, "outbox_record");
      Cli.Result second = new Cli(database).run("import", "--from", "namastack", mode, "--json");

      assertThat(process.exitValue()).isNotZero();
      assertThat(first).isPositive().isLessThan(ROWS);
      assertThat(left).isEqualTo(mode.equals("--take") ? ROWS - first : ROWS);
      assertThat(second.number("imported")).as(second.toString()).isEqualTo(ROWS - first);
      assertThat(Sql.count(dataSource, "outbox_event")).isEqualTo(ROWS);
      assertThat(Sql.count(dataSource, "(SELECT DISTINCT payload::text FROM outbox_event) p"))
          .isEqualTo(ROWS);
      System.out.printf(
          "%s: %d of %d when killed, then %d%n", mode, first, ROWS, second.number("imported"));
    }
  }
}
