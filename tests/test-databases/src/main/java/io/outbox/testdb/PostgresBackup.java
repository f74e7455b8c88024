package io.outbox.testdb;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Set;

/** A copy of the data of a running PostgreSQL, as {@code pg_basebackup} makes it. */
final class PostgresBackup {

  /** What belongs to the process that runs on the data. */
  private static final Set<String> LEFT_OUT =
      Set.of("postmaster.pid", "postmaster.opts", "epg-lock");

  private PostgresBackup() {}

  static void copy(Endpoint server, Path data, Path target) throws IOException {
    try (Connection connection =
            DataSources.unpooled(server.url(), server.user(), server.password()).getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute("SELECT pg_backup_start('standby', fast => true)");
      copy(data, target);
      try (ResultSet result =
          statement.executeQuery(
              "SELECT labelfile FROM pg_backup_stop(wait_for_archive => false)")) {
        result.next();
        Files.writeString(target.resolve("backup_label"), result.getString(1));
      }
      Files.createFile(target.resolve("standby.signal"));
    } catch (SQLException e) {
      throw new IOException("cannot copy the data of " + server.url(), e);
    }
  }

  private static void copy(Path data, Path target) throws IOException {
    Path log = data.resolve("pg_wal");
    Files.walkFileTree(
        data,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes)
              throws IOException {
            Files.createDirectory(
                target.resolve(data.relativize(directory)),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
              throws IOException {
            // the log is fetched from the server
            if (!LEFT_OUT.contains(file.getFileName().toString()) && !file.startsWith(log)) {
              copyIfThere(file, target.resolve(data.relativize(file)));
            }
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFileFailed(Path file, IOException e) throws IOException {
            if (e instanceof NoSuchFileException) {
              return FileVisitResult.CONTINUE;
            }
            throw e;
          }
        });
  }

  private static void copyIfThere(Path file, Path target) throws IOException {
    try {
      Files.copy(file, target);
    } catch (NoSuchFileException e) {
      // the server has removed it; its log says so
    }
  }
}
