package io.outbox.testdb;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

final class PostgresProcess extends ServerProcess {
  private static final Duration PATIENCE = Duration.ofSeconds(30);

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

  @Override
  Endpoint launch() throws IOException {
    postgres = Binaries.locked(this::launch);
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
    return builder.start();
  }

  @Override
  void kill() {
    super.kill();
    if (postgres != null) {
      try {
        postgres.close(); // lets go of its lock on the data
      } catch (IOException e) {
        throw new IllegalStateException("Cannot release " + directory.data(), e);
      }
    }
  }
}
