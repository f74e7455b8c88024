package io.outbox.testdb;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

final class PostgresProcess extends ServerProcess {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final Map<String, String> settings = new HashMap<>();
  private final Duration patience;
  private EmbeddedPostgres postgres;

  PostgresProcess(Map<String, String> settings) throws IOException {
    this(settings, PATIENCE);
  }

  PostgresProcess(Map<String, String> settings, Duration patience) throws IOException {
    super(TestDatabase.POSTGRES);
    this.patience = patience;
    this.settings.put("listen_addresses", "127.0.0.1");
    this.settings.put("unix_socket_directories", "");
    this.settings.put("max_connections", "300");
    // quick, and a commit still survives a kill of the server
    this.settings.put("fsync", "off");
    this.settings.put("full_page_writes", "off");
    this.settings.put("synchronous_commit", "on");
    this.settings.putAll(settings);
  }

  /** Prepares a server that follows this one, on a copy of its data. */
  PostgresProcess standby() throws IOException {
    PostgresProcess standby = new PostgresProcess(settings, patience);
    Path data = standby.directory.data();
    PostgresBackup.copy(endpoint(), directory.data(), data);
    Files.writeString(
        data.resolve("postgresql.auto.conf"),
        "primary_conninfo = 'host=127.0.0.1 port=" + port + " user=postgres'\n",
        StandardOpenOption.APPEND);
    return standby;
  }

  @Override
  Endpoint launch() throws IOException {
    postgres = Binaries.locked(this::launch);
    return endpoint();
  }

  private Endpoint endpoint() {
    return new Endpoint(kind, "jdbc:postgresql://127.0.0.1:" + port + "/postgres", "postgres", "");
  }

  private EmbeddedPostgres launch(Path programs) throws IOException {
    System.setProperty("ot.epg.working-dir", programs.toString());
    EmbeddedPostgres.Builder builder =
        EmbeddedPostgres.builder()
            .setDataDirectory(directory.data())
            .setCleanDataDirectory(false)
            .setRegisterShutdownHook(false)
            .setPort(port)
            .setLocaleConfig("locale", "C")
            .setPGStartupWait(patience)
            .setOutputRedirector(Redirect.appendTo(directory.log().toFile()));
    settings.forEach(builder::setServerConfig);
    try {
      return builder.start();
    } catch (ExceptionInInitializerError e) {
      throw new IOException("cannot unpack it into " + programs, e.getCause());
    }
  }

  @Override
  void kill() {
    super.kill();
    try {
      // names a process that may still count as running while nobody has taken notice of its end
      Files.deleteIfExists(directory.data().resolve("postmaster.pid"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    release();
  }

  /** Not by a kill, which would leave its shared memory behind. */
  @Override
  void stop() {
    release();
    super.kill();
  }

  /** Stops the server if it runs, and lets go of the lock on its data. */
  private void release() {
    if (postgres != null) {
      try {
        postgres.close();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
