package io.outbox.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.outbox.cli.command.ExitCode;
import io.outbox.cli.command.ProcessContext;
import io.outbox.testdb.Database;
import io.outbox.testdb.TestDatabase;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ConsoleCommandTest {

  @Test
  void itServesThePageUntilItIsAskedToEnd() throws Exception {
    try (Database database = TestDatabase.H2.fresh()) {
      assertThat(CliRun.on(database).run("schema", "create").exitCode()).isZero();
      ByteArrayOutputStream out = new ByteArrayOutputStream();
      PrintStream stream = new PrintStream(out, true, StandardCharsets.UTF_8);
      ProcessContext context =
          new ProcessContext(
              Map.of(
                  "OUTBOX_URL", database.jdbcUrl(),
                  "OUTBOX_USER", database.user(),
                  "OUTBOX_PASSWORD", database.password()),
              FakeTerminal.pipe(),
              stream,
              stream);
      Thread command =
          new Thread(
              () ->
                  OutboxCli.run(
                      context,
                      "console",
                      "--port",
                      "0",
                      "--allow-host",
                      "ops.example.org",
                      "--allow-host",
                      "outbox.example.org"),
              "console");
      command.start();
      try {
        await().atMost(Duration.ofSeconds(60)).until(() -> text(out).contains("Ctrl-C"));
        String url = text(out).replaceAll("(?s).*(http://\\S+).*", "$1");
        HttpResponse<String> page = get(url);
        assertThat(page.statusCode()).isEqualTo(200);
        assertThat(get(url + "api/outboxes/outbox_event/archive").body())
            .isEqualTo("{\"configured\":true}"); // it has no archive table yet
        assertThat(text(out)).contains("It lets in everybody from this machine without signing in");
      } finally {
        command.interrupt();
      }
      command.join(30_000);
      assertThat(command.isAlive()).isFalse();
    }
  }

  private static HttpResponse<String> get(String url) throws IOException, InterruptedException {
    return HttpClient.newHttpClient()
        .send(
            HttpRequest.newBuilder(URI.create(url)).build(), HttpResponse.BodyHandlers.ofString());
  }

  private static String text(ByteArrayOutputStream out) {
    return out.toString(StandardCharsets.UTF_8);
  }

  @Test
  void whoMayComeInIsCheckedBeforeItStarts(@TempDir Path directory) throws IOException {
    Path token = Files.writeString(directory.resolve("ann"), "a-long-and-secret-token");
    try (Database database = TestDatabase.H2.fresh()) {
      CliRun cli = CliRun.on(database);
      assertThat(cli.run("schema", "create").exitCode()).isZero();
      CliRun.Result header = cli.run("console", "--port", "0", "--user-header", "X-User");
      assertThat(header.exitCode()).as(header.toString()).isEqualTo(ExitCode.USAGE);
      assertThat(header.err()).contains("anybody could send the header X-User");

      CliRun.Result network = cli.run("console", "--port", "0", "--trusted-proxy", "intranet");
      assertThat(network.exitCode()).as(network.toString()).isEqualTo(ExitCode.USAGE);
      assertThat(network.err()).contains("such as 10.1.0.0/16");

      CliRun.Result twice =
          cli.run(
              "console",
              "--port",
              "0",
              "--token-file",
              "ann=" + token,
              "--token-file",
              "bob=" + token);
      assertThat(twice.exitCode()).as(twice.toString()).isEqualTo(ExitCode.USAGE);
      assertThat(twice.err()).contains("somebody else's").doesNotContain("a-long-and-secret");
    }
  }

  @Test
  void offThisMachineItWantsAToken() {
    try (Database database = TestDatabase.H2.fresh()) {
      CliRun.Result result = CliRun.on(database).run("console", "--bind", "0.0.0.0", "--port", "0");

      assertThat(result.exitCode()).as(result.toString()).isEqualTo(ExitCode.USAGE);
      assertThat(result.err()).contains("--token-file");
    }
  }
}
