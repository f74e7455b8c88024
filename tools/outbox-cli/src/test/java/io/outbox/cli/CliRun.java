package io.outbox.cli;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.outbox.cli.command.ProcessContext;
import io.outbox.testdb.Database;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;

/** Runs commands in this process. */
final class CliRun {

  /** How a command ended and what it said. */
  record Result(int exitCode, byte[] bytes, String err) {

    String out() {
      return new String(bytes, StandardCharsets.UTF_8);
    }

    JsonObject json() {
      return JsonParser.parseString(out()).getAsJsonObject();
    }

    @Override
    public String toString() {
      return "exit code " + exitCode + "\n" + out() + "\n" + err;
    }
  }

  private final Map<String, String> environment = new HashMap<>();
  private FakeTerminal terminal = FakeTerminal.pipe();

  /** With a database named by the environment. */
  static CliRun on(Database database) {
    return new CliRun()
        .with("OUTBOX_URL", database.jdbcUrl())
        .with("OUTBOX_USER", database.user())
        .with("OUTBOX_PASSWORD", database.password());
  }

  CliRun with(String variable, String value) {
    environment.put(variable, value);
    return this;
  }

  CliRun at(FakeTerminal value) {
    terminal = value;
    return this;
  }

  Result run(String... words) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    int exitCode =
        OutboxCli.run(
            new ProcessContext(
                environment,
                terminal,
                new PrintStream(out, false, StandardCharsets.UTF_8),
                new PrintStream(err, false, StandardCharsets.UTF_8)),
            words);
    return new Result(exitCode, out.toByteArray(), err.toString(StandardCharsets.UTF_8));
  }
}
