package io.outbox.benchmarks;

import io.outbox.testdb.Database;
import io.outbox.testdb.DedicatedServer;
import io.outbox.testdb.TestDatabase;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Comparator;
import java.util.stream.Stream;

/** The server that contestants are measured on, which writes every commit to the disk. */
abstract class MeasuredServer implements AutoCloseable {

  /** An empty database. */
  record Fresh(String name, String url) {}

  abstract Fresh fresh();

  abstract void drop(Fresh database) throws SQLException;

  abstract String user();

  /** The server's process, 0 if it runs in that of the contestant. */
  abstract long pid();

  /** Product, version and settings. */
  abstract String description();

  @Override
  public abstract void close();

  static MeasuredServer start(TestDatabase kind) throws SQLException, IOException {
    return kind == TestDatabase.H2 ? new InFiles() : new Dedicated(kind);
  }

  private static final class Dedicated extends MeasuredServer {
    private final DedicatedServer server;
    private final Database first;
    private final String description;
    private final long pid;

    Dedicated(TestDatabase kind) throws SQLException, IOException {
      server = kind.durableServer();
      first = server.fresh();
      boolean postgres = kind == TestDatabase.POSTGRES;
      if (postgres) {
        pid =
            Long.parseLong(
                ask("SELECT split_part(pg_read_file('postmaster.pid'), E'\\n', 1)").trim());
        description =
            "PostgreSQL %s, fsync=%s, synchronous_commit=%s, full_page_writes=%s, shared_buffers=%s, on %s"
                .formatted(
                    ask("SHOW server_version"),
                    ask("SHOW fsync"),
                    ask("SHOW synchronous_commit"),
                    ask("SHOW full_page_writes"),
                    ask("SHOW shared_buffers"),
                    fileSystem(ask("SHOW data_directory")));
      } else {
        pid = Long.parseLong(Files.readString(Path.of(ask("SELECT @@pid_file"))).trim());
        description =
            "%s, innodb_flush_log_at_trx_commit=%s, innodb_buffer_pool_size=%s, on %s"
                .formatted(
                    ask("SELECT version()"),
                    ask("SELECT @@innodb_flush_log_at_trx_commit"),
                    ask("SELECT @@innodb_buffer_pool_size"),
                    fileSystem(ask("SELECT @@datadir")));
      }
    }

    private String ask(String query) throws SQLException {
      try (Connection conn = first.dataSource().getConnection();
          Statement statement = conn.createStatement();
          ResultSet rows = statement.executeQuery(query)) {
        rows.next();
        return rows.getString(1);
      }
    }

    @Override
    Fresh fresh() {
      Database database = server.fresh();
      return new Fresh(database.name(), database.jdbcUrl());
    }

    @Override
    void drop(Fresh database) throws SQLException {
      try (Connection conn = first.dataSource().getConnection();
          Statement statement = conn.createStatement()) {
        statement.execute(
            "DROP DATABASE "
                + database.name()
                + (first.kind() == TestDatabase.POSTGRES ? " WITH (FORCE)" : ""));
      }
    }

    @Override
    String user() {
      return first.user();
    }

    @Override
    long pid() {
      return pid;
    }

    @Override
    String description() {
      return description;
    }

    @Override
    public void close() {
      server.close();
    }
  }

  /** H2 in the contestant's process, in files. */
  private static final class InFiles extends MeasuredServer {
    private final Path directory;
    private int count;

    InFiles() throws IOException {
      directory = Files.createTempDirectory("outbox-bench-h2");
    }

    @Override
    Fresh fresh() {
      String name = "bench" + ++count;
      return new Fresh(
          name, "jdbc:h2:file:" + directory.resolve(name) + ";WRITE_DELAY=0;DB_CLOSE_DELAY=-1");
    }

    @Override
    void drop(Fresh database) {
      deleteAll(database.name());
    }

    private void deleteAll(String prefix) {
      try (Stream<Path> files = Files.list(directory)) {
        files
            .filter(file -> file.getFileName().toString().startsWith(prefix))
            .sorted(Comparator.reverseOrder())
            .forEach(file -> file.toFile().delete());
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    @Override
    String user() {
      return "sa";
    }

    @Override
    long pid() {
      return 0;
    }

    @Override
    String description() {
      try (Connection conn = DriverManager.getConnection("jdbc:h2:mem:", "sa", "")) {
        return "H2 %s in the contestant's process, in files, WRITE_DELAY=0 (no fsync at commit), on %s"
            .formatted(conn.getMetaData().getDatabaseProductVersion(), fileSystem(directory + ""));
      } catch (SQLException | IOException e) {
        return "H2";
      }
    }

    @Override
    public void close() {
      deleteAll("");
      directory.toFile().delete();
    }
  }

  private static String fileSystem(String directory) throws IOException {
    return Files.getFileStore(Path.of(directory)).type();
  }
}
