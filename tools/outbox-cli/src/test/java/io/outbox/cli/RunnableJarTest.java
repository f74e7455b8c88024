package io.outbox.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.outbox.cli.command.ExitCode;
import io.outbox.testdb.Database;
import io.outbox.testdb.TestDatabase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The jar that users get, as a process of its own. */
@Tag("jar")
class RunnableJarTest {

  private static final Path JAR = Path.of(System.getProperty("outbox.cli.jar"));

  @TempDir private Path directory;

  private record Ended(int exitCode, String out, String err) {}

  private Process start(Map<String, String> environment, String... words) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-jar", JAR.toString()));
    command.addAll(List.of(words));
    ProcessBuilder process = new ProcessBuilder(command);
    process.environment().putAll(environment);
    process.redirectOutput(directory.resolve("out").toFile());
    process.redirectError(directory.resolve("err").toFile());
    process.redirectInput(ProcessBuilder.Redirect.from(directory.resolve("in").toFile()));
    Files.writeString(directory.resolve("in"), "");
    return process.start();
  }

  private Ended end(Process process) throws Exception {
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).as("it ends").isTrue();
    return new Ended(
        process.exitValue(),
        Files.readString(directory.resolve("out")),
        Files.readString(directory.resolve("err")));
  }

  private Ended run(Map<String, String> environment, String... words) throws Exception {
    return end(start(environment, words));
  }

  @Test
  void itWorksOnAFileWithoutAnythingElse() throws Exception {
    Map<String, String> h2 =
        Map.of("OUTBOX_URL", "jdbc:h2:" + directory.resolve("shop"), "OUTBOX_USER", "sa");

    assertThat(run(h2, "schema", "create").exitCode()).isZero();
    Ended status = run(h2, "status");
    assertThat(status.exitCode()).as(status.toString()).isZero();
    assertThat(status.out()).containsPattern("PENDING +0").doesNotContain("\u001b");
    assertThat(status.err()).isEmpty();
    assertThat(run(h2, "list").exitCode()).isEqualTo(ExitCode.NOTHING_MATCHED);
    assertThat(run(h2, "replay", "--all").exitCode()).isEqualTo(ExitCode.USAGE);
    assertThat(run(Map.of(), "--version").out()).containsPattern("outbox \\d+\\.\\d+\\.\\d+");
  }

  @Test
  void theDriversAreInIt() throws Exception {
    for (String scheme : List.of("mariadb", "mysql", "postgresql")) {
      Ended nobody = run(Map.of(), "status", "--url", "jdbc:" + scheme + "://127.0.0.1:1/shop");
      assertThat(nobody.exitCode()).isEqualTo(ExitCode.FAILED);
      assertThat(nobody.err()).contains("cannot connect to jdbc:" + scheme);
    }
  }

  @Test
  void theRelayIsInIt() throws Exception {
    Ended relay = run(Map.of(), "relay", "--config", directory.resolve("nothing.yaml").toString());
    assertThat(relay.exitCode()).as(relay.toString()).isEqualTo(ExitCode.USAGE);
  }

  @Test
  void askedToEndItStopsBetweenTwoBatchesAndSaysHowFarItCame() throws Exception {
    try (Database database = TestDatabase.POSTGRES.fresh()) {
      CliRun cli = CliRun.on(database);
      assertThat(cli.run("schema", "create").exitCode()).isZero();
      int all = 300_000; // more than it does before it is asked to end
      try (Connection conn = database.dataSource().getConnection();
          Statement statement = conn.createStatement()) {
        statement.execute(
            "INSERT INTO outbox_event (event_id, event_type, payload, status, available_at,"
                + " created_at) SELECT 'e' || n, 'X', '{}', 0, now(), now()"
                + " FROM generate_series(1, "
                + all
                + ") n");
      }
      Process process =
          start(
              Map.of(
                  "OUTBOX_URL", database.jdbcUrl(),
                  "OUTBOX_USER", database.user(),
                  "OUTBOX_PASSWORD", database.password()),
              "kill",
              "--all",
              "--reason",
              "test",
              "--yes",
              "--json");
      await().atMost(Duration.ofSeconds(60)).until(() -> changed(cli) > 0);
      process.destroy();
      Ended ended = end(process);

      assertThat(ended.exitCode()).as(ended.toString()).isEqualTo(128 + 15);
      JsonObject result = JsonParser.parseString(ended.out()).getAsJsonObject();
      assertThat(result.get("finished").getAsBoolean()).isFalse();
      assertThat(result.get("changed").getAsLong()).isBetween(1L, all - 1L);
      assertThat(changed(cli)).isEqualTo(result.get("changed").getAsLong());
      assertThat(ended.err()).contains("Stopped.");
    }
  }

  private static long changed(CliRun cli) {
    CliRun.Result audit = cli.run("audit", "--json");
    JsonArray entries = audit.json().getAsJsonArray("entries");
    return entries.isEmpty() ? 0 : entries.get(0).getAsJsonObject().get("count").getAsLong();
  }
}
