package io.outbox.testdb;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.Test;

class ServerDirectoryTest {

  @Test
  void what_a_killed_jvm_left_is_swept() throws IOException, InterruptedException {
    Process jvm =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                Forgetful.class.getName())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    String postgres = jvm.inputReader().readLine();
    Path directory = directoryOf(jvm.pid());
    jvm.destroyForcibly().waitFor();
    assertThat(serversOn(directory)).as(postgres).isNotEmpty();

    ServerDirectory ours = ServerDirectory.create(TestDatabase.POSTGRES);

    assertThat(serversOn(directory)).isEmpty();
    assertThat(directory).doesNotExist();
    ours.delete();
  }

  @Test
  void what_a_living_jvm_owns_is_left_alone() throws IOException, SQLException {
    try (DedicatedServer server = TestDatabase.MARIADB.dedicatedServer();
        Database database = server.fresh()) {
      ServerDirectory.create(TestDatabase.MARIADB).delete();

      assertThat(Sql.value(database.dataSource(), "SELECT 1")).isEqualTo("1");
    }
  }

  /** A MariaDB that starts deletes what looks like left-over temporary tables. */
  @Test
  void temporary_tables_are_out_of_reach_of_other_servers() throws SQLException {
    try (DedicatedServer server = TestDatabase.MARIADB.dedicatedServer();
        Database database = server.fresh()) {
      assertThat(Path.of(Sql.value(database.dataSource(), "SELECT @@tmpdir")))
          .hasFileName("tmp")
          .hasParent(Path.of(Sql.value(database.dataSource(), "SELECT @@datadir")).getParent());
    }
  }

  private static Path directoryOf(long pid) throws IOException {
    try (var directories = Files.list(ServerDirectory.home().resolve("servers"))) {
      return directories
          .filter(directory -> directory.getFileName().toString().contains("-" + pid + "-"))
          .findAny()
          .orElseThrow();
    }
  }

  private static List<ProcessHandle> serversOn(Path directory) {
    return ProcessHandle.allProcesses()
        .filter(
            process ->
                process.info().commandLine().filter(l -> l.contains("" + directory)).isPresent())
        .toList();
  }

  /** Starts a server and waits to be killed. */
  static final class Forgetful {
    public static void main(String[] arguments) throws IOException {
      System.out.println(TestDatabase.POSTGRES.fresh());
      System.in.read();
    }
  }
}
