package io.outbox.testdb;

import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** MariaDB or MySQL. */
final class MysqldProcess extends ServerProcess {
  private static final long PATIENCE_SECONDS = 60;

  private final MysqldDistribution distribution;
  private final Map<String, String> settings = new LinkedHashMap<>();
  private final Endpoint endpoint;

  MysqldProcess(MysqldDistribution distribution, Map<String, String> settings) throws IOException {
    super(distribution.kind());
    this.distribution = distribution;
    this.endpoint =
        new Endpoint(
            kind,
            distribution.urlScheme() + "//127.0.0.1:" + port + "/" + distribution.urlParameters(),
            "root",
            "");
    this.settings.put("port", Integer.toString(port));
    this.settings.put("bind-address", "127.0.0.1");
    this.settings.put("socket", "mysqld.sock"); // in the data directory: its path may be too long
    this.settings.put("character-set-server", "utf8mb4");
    this.settings.put("max-connections", "300");
    // quick, and a commit still survives a kill of the server
    this.settings.put("innodb-flush-log-at-trx-commit", "2");
    this.settings.putAll(distribution.settings());
    this.settings.putAll(settings);
  }

  @Override
  Endpoint launch() throws IOException {
    if (!Files.exists(directory.data())) {
      Process initialiser = run(distribution.initialiser(), Map.of());
      await(initialiser);
      if (initialiser.exitValue() != 0) {
        throw new IOException(distribution.initialiser() + " ended with an error");
      }
    }
    awaitConnection(run(distribution.server(), settings));
    return endpoint;
  }

  private Process run(List<String> program, Map<String, String> options) throws IOException {
    List<String> command = new ArrayList<>(program);
    command.add("--basedir=" + distribution.home());
    command.add("--datadir=" + directory.data());
    command.add("--user=" + System.getProperty("user.name"));
    options.forEach(
        (name, value) -> command.add("--" + name + (value.isEmpty() ? "" : "=" + value)));
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(Redirect.appendTo(directory.log().toFile()));
    // in a shared directory a server that starts deletes the temporary tables of the others
    builder.environment().put("TMPDIR", directory.temporary().toString());
    return builder.start();
  }

  private void awaitConnection(Process server) throws IOException {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
    while (true) {
      try (Connection connection =
          DataSources.unpooled(endpoint.url(), endpoint.user(), endpoint.password())
              .getConnection()) {
        return;
      } catch (SQLException e) {
        if (exited(server, 50)) {
          throw new IOException(distribution.server().get(0) + " ended at once", e);
        }
        if (System.nanoTime() > deadline) {
          throw new IOException("no answer within " + PATIENCE_SECONDS + " s", e);
        }
      }
    }
  }

  private static void await(Process process) throws IOException {
    if (!exited(process, TimeUnit.SECONDS.toMillis(PATIENCE_SECONDS))) {
      process.destroyForcibly();
      throw new IOException("not done within " + PATIENCE_SECONDS + " s: " + process.info());
    }
  }

  private static boolean exited(Process process, long millis) throws IOException {
    try {
      return process.waitFor(millis, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
  }
}
