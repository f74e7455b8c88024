package io.outbox.faults.scenario;

import io.outbox.faults.node.Cluster;
import io.outbox.faults.node.NodeSettings;
import io.outbox.faults.server.Program;
import io.outbox.faults.server.TemporaryFolder;
import io.outbox.testdb.Ports;
import io.outbox.testdb.TestDatabase;
import io.outbox.testing.Await;
import java.io.IOException;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Nodes that reach PostgreSQL through PgBouncer in transaction mode, which gets killed, too. */
public final class PgBouncer extends OnOneServer {

  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final Duration LONG = Duration.ofSeconds(1);

  private final int port = Ports.unused();
  private final Path directory;
  private Process process;

  public PgBouncer() throws IOException {
    super(TestDatabase.POSTGRES);
    this.directory = TemporaryFolder.create("pgbouncer");
    start();
  }

  private void start() throws IOException {
    Path settings = Files.writeString(directory.resolve("pgbouncer.ini"), settings());
    List<String> command = new ArrayList<>(List.of(Program.PGBOUNCER.path().toString()));
    if (System.getProperty("user.name").equals("root")) {
      command.addAll(List.of("-u", "nobody"));
    }
    command.add(settings.toString());
    process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(directory.resolve("log").toFile()))
            .start();
    Await.until("PgBouncer", PATIENCE, this::answers);
  }

  private String settings() {
    return """
        [databases]
        * = host=127.0.0.1 port=%d user=postgres
        [pgbouncer]
        listen_addr = 127.0.0.1
        listen_port = %d
        unix_socket_dir =
        auth_type = any
        pool_mode = transaction
        max_client_conn = 200
        default_pool_size = 20
        ignore_startup_parameters = extra_float_digits
        """
        .formatted(site.server().port(), port);
  }

  private boolean answers() {
    if (!process.isAlive()) {
      throw new AssertionError("PgBouncer ended at once, see " + directory.resolve("log"));
    }
    try (Socket socket = new Socket("127.0.0.1", port)) {
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  /** Its version knows no prepared statements. */
  @Override
  public NodeSettings settings(NodeSettings defaults, int place) {
    NodeSettings settings = super.settings(defaults, place);
    int direct = site.proxy(place).port();
    String url = settings.get("url").replace(":" + direct + "/", ":" + port + "/");
    return settings.with("url", url + "?prepareThreshold=0");
  }

  @Override
  public void fault(Cluster cluster, FaultLog log) throws Exception {
    if (cluster.random().nextBoolean()) {
      KilledNodes.killOne(cluster, log);
      return;
    }
    Fault fault = log.begin("kill of PgBouncer");
    process.destroyForcibly().waitFor();
    cluster.passTime(Duration.ZERO, LONG);
    start();
    fault.end(System.nanoTime());
  }

  @Override
  public void close() {
    process.destroyForcibly();
    super.close();
    TemporaryFolder.delete(directory);
  }
}
