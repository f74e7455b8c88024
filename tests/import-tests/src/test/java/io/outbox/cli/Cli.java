package io.outbox.cli;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.outbox.cli.command.ProcessContext;
import io.outbox.cli.output.Terminal;
import io.outbox.testdb.Database;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/** Runs commands in this process. */
public final class Cli {

  /** How a command ended and what it said. */
  public record Result(int exitCode, String out, String err) {

    public JsonObject json() {
      return JsonParser.parseString(out).getAsJsonObject();
    }

    /** A figure of the result. */
    public long number(String name) {
      return json().get(name).getAsLong();
    }
  }

  private final Map<String, String> environment;

  public Cli(Database database) {
    environment = environment(database);
  }

  /** Names the database. */
  public static Map<String, String> environment(Database database) {
    return Map.of(
        "OUTBOX_URL", database.jdbcUrl(),
        "OUTBOX_USER", database.user(),
        "OUTBOX_PASSWORD", database.password());
  }

  public Result run(String... words) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    int exitCode =
        OutboxCli.run(
            new ProcessContext(
                environment,
                new Pipe(),
                new PrintStream(out, false, StandardCharsets.UTF_8),
                new PrintStream(err, false, StandardCharsets.UTF_8)),
            words);
    return new Result(
        exitCode, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
  }

  private static final class Pipe implements Terminal {

    @Override
    public boolean outIsScreen() {
      return false;
    }

    @Override
    public boolean errIsScreen() {
      return false;
    }

    @Override
    public boolean canAsk() {
      return false;
    }

    @Override
    public int width() {
      return 80;
    }

    @Override
    public String ask(String question) {
      return null;
    }

    @Override
    public char[] askSecret(String question) {
      return null;
    }
  }
}
