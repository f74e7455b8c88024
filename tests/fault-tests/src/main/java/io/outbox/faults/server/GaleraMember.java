package io.outbox.faults.server;

import io.outbox.testdb.Ports;
import io.outbox.testing.Await;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.UserPrincipal;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.mariadb.jdbc.MariaDbDataSource;

/** A member of a Galera cluster: Debian's MariaDB with its own directory and ports. */
public final class GaleraMember {

  private static final Duration PATIENCE = Duration.ofMinutes(2);

  /** A member that does not answer is left out soon, so that the others go on. */
  private static final String TIMEOUTS =
      "evs.keepalive_period=PT0.5S;evs.suspect_timeout=PT2S;evs.inactive_timeout=PT5S";

  private final Path directory;
  private final int port = Ports.unused();
  private final int groupPort = Ports.unused();
  private final int copyPort = Ports.unused();
  private final int transferPort = Ports.unused();
  private Process process;

  public GaleraMember(Path directory) throws IOException {
    this.directory = own(Files.createDirectory(directory));
    own(Files.createDirectory(directory.resolve("data")));
  }

  public String groupAddress() {
    return "127.0.0.1:" + groupPort;
  }

  public String url(String database) {
    return "jdbc:mariadb://127.0.0.1:%d/%s?sslMode=disable".formatted(port, database);
  }

  /** Sees all that was committed anywhere. */
  public DataSource upToDate(String database) {
    try {
      MariaDbDataSource source =
          new MariaDbDataSource(url(database) + "&sessionVariables=wsrep_sync_wait=7");
      source.setUser("root");
      source.setPassword("");
      return source;
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  public void initialise() throws IOException, InterruptedException {
    Process initialiser =
        run(
            List.of(
                "mariadb-install-db",
                "--no-defaults",
                "--auth-root-authentication-method=normal",
                "--skip-name-resolve",
                "--skip-test-db"));
    if (!initialiser.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)
        || initialiser.exitValue() != 0) {
      throw new IOException("mariadb-install-db failed, see " + log());
    }
  }

  /**
   * Starts it, or joins it again, and returns when it takes part.
   *
   * @param group the addresses of all members; empty to begin a new cluster
   */
  public void start(String group) throws IOException {
    List<String> command = new ArrayList<>();
    command.addAll(List.of(Program.MARIADB.path().toString(), "--no-defaults"));
    command.addAll(
        List.of(
            "--port=" + port,
            "--bind-address=127.0.0.1",
            "--socket=" + directory.resolve("socket"),
            "--pid-file=" + directory.resolve("pid"),
            "--skip-name-resolve",
            "--character-set-server=utf8mb4",
            "--binlog-format=ROW",
            "--innodb-autoinc-lock-mode=2",
            "--innodb-flush-log-at-trx-commit=2",
            "--innodb-buffer-pool-size=64M",
            "--wsrep-on=ON",
            "--wsrep-provider=" + Program.GALERA.path(),
            "--wsrep-cluster-name=outbox",
            "--wsrep-cluster-address=gcomm://" + group,
            "--wsrep-node-address=" + groupAddress(),
            "--wsrep-sst-method=rsync",
            "--wsrep-sst-receive-address=127.0.0.1:" + copyPort,
            "--wsrep-provider-options=gmcast.listen_addr=tcp://%s;ist.recv_addr=127.0.0.1:%d;%s"
                .formatted(groupAddress(), transferPort, TIMEOUTS)));
    process = run(command);
    Await.until(() -> "a member of Galera, see " + log(), PATIENCE, this::isReady);
  }

  private boolean isReady() {
    if (!process.isAlive()) {
      throw new IllegalStateException("a member of Galera ended at once, see " + log());
    }
    try (Connection connection = upToDate("").getConnection();
        Statement statement = connection.createStatement();
        ResultSet result = statement.executeQuery("SHOW STATUS LIKE 'wsrep_ready'")) {
      return result.next() && result.getString(2).equals("ON");
    } catch (SQLException e) {
      return false;
    }
  }

  public boolean isRunning() {
    return process != null && process.isAlive();
  }

  public void kill() throws InterruptedException {
    process.destroyForcibly().waitFor();
  }

  private Path log() {
    return directory.resolve("log");
  }

  private Process run(List<String> command) throws IOException {
    List<String> all = new ArrayList<>(command);
    // first of all: the scripts insist on it
    all.addAll(2, List.of("--datadir=" + directory.resolve("data"), "--user=" + user()));
    return new ProcessBuilder(all)
        .redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.appendTo(log().toFile()))
        .start();
  }

  /** Not root: rsync, which brings the data to a member that joins, would not write as root. */
  private static String user() {
    String user = System.getProperty("user.name");
    return user.equals("root") ? "mysql" : user;
  }

  private static Path own(Path directory) throws IOException {
    UserPrincipal owner =
        directory.getFileSystem().getUserPrincipalLookupService().lookupPrincipalByName(user());
    return Files.setOwner(directory, owner);
  }
}
