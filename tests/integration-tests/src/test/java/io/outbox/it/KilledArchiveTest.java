package io.outbox.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.EventEnvelope;
import io.outbox.it.ArchivingProcess.Point;
import io.outbox.jdbc.OutboxSchema;
import io.outbox.jdbc.archive.ArchivingPurger;
import io.outbox.jdbc.archive.EventArchive;
import io.outbox.jdbc.store.AbstractJdbcOutboxStore;
import io.outbox.jdbc.store.JdbcOutboxStores;
import io.outbox.operate.EventFilter;
import io.outbox.operate.EventPage;
import io.outbox.operate.EventSummary;
import io.outbox.spi.NewEvent;
import io.outbox.testdb.Database;
import io.outbox.testdb.TestDatabase;
import io.outbox.testing.Await;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Processes killed in the middle of a batch of the archive: no event is lost. */
class KilledArchiveTest {

  private static final int EVENTS = 600;

  @TempDir Path directory;

  @EachServer
  void R1_killedProcessesLoseAndDoubleNothingInATable(TestDatabase kind) throws Exception {
    try (Database database = kind.fresh()) {
      DataSource dataSource = database.dataSource();
      List<String> written = write(dataSource);
      killTwo(database, null);

      assertThat(archived(dataSource, null)).containsExactlyInAnyOrderElementsOf(written);
    }
  }

  @EachServer
  void R1_killedProcessesLoseNothingInFiles(TestDatabase kind) throws Exception {
    try (Database database = kind.fresh()) {
      DataSource dataSource = database.dataSource();
      List<String> written = write(dataSource);
      Path files = directory.resolve("archive");
      killTwo(database, files);

      List<String> found = archived(dataSource, files);
      assertThat(new HashSet<>(found)).containsExactlyInAnyOrderElementsOf(written);
      // Two batches were in files when their processes died, and are there again.
      assertThat(found.size()).isEqualTo(EVENTS + 2 * ArchivingProcess.BATCH);
    }
  }

  @Test
  void R1_onH2KilledProcessesLoseAndDoubleNothing() throws Exception {
    Path files = directory.resolve("archive");
    for (Path target : new Path[] {null, files}) {
      String url = "jdbc:h2:" + directory.resolve("shop" + (target == null ? 1 : 2));
      JdbcDataSource dataSource = new JdbcDataSource();
      dataSource.setURL(url);
      dataSource.setUser("sa");
      List<String> written = write(dataSource);
      for (Point point : Point.values()) {
        try (ArchivingProcess process =
            new ArchivingProcess(url, "sa", "", directory, target, point)) {
          process.killInTheMiddle();
        }
      }
      List<String> found = archived(dataSource, target);
      assertThat(new HashSet<>(found)).containsExactlyInAnyOrderElementsOf(written);
      if (target == null) {
        assertThat(found.size()).isEqualTo(EVENTS);
      } else {
        // H2 writes its commits half a second later: batches before the last may be there again.
        assertThat(found.size()).isLessThanOrEqualTo(EVENTS + 6 * ArchivingProcess.BATCH);
      }
    }
  }

  /** Both archive at the same time. */
  private void killTwo(Database database, Path files) throws Exception {
    try (ArchivingProcess one = start(database, files, Point.DELETE);
        ArchivingProcess other = start(database, files, Point.COMMIT)) {
      one.killInTheMiddle();
      other.killInTheMiddle();
    }
  }

  private ArchivingProcess start(Database database, Path files, Point point) throws Exception {
    return new ArchivingProcess(
        database.jdbcUrl(), database.user(), database.password(), directory, files, point);
  }

  /** Events that are finished. */
  private static List<String> write(DataSource dataSource) throws SQLException {
    OutboxSchema.create(dataSource);
    OutboxSchema.createArchive(dataSource, "outbox_event");
    List<EventEnvelope> events = Scenario.events(EVENTS);
    try (Connection conn = dataSource.getConnection();
        Statement statement = conn.createStatement()) {
      JdbcOutboxStores.detect(dataSource)
          .insertAll(conn, events.stream().map(NewEvent::unleased).toList());
      statement.executeUpdate("UPDATE outbox_event SET status = 1, done_at = created_at");
    }
    return events.stream().map(EventEnvelope::eventId).toList();
  }

  private static String left(DataSource dataSource) {
    try (Connection conn = dataSource.getConnection();
        Statement statement = conn.createStatement();
        ResultSet row =
            statement.executeQuery(
                "SELECT count(*), min(status), max(status), min(done_at), max(done_at)"
                    + " FROM outbox_event")) {
      row.next();
      return "%d events, status %d to %d, done from %s to %s"
          .formatted(
              row.getInt(1), row.getInt(2), row.getInt(3), row.getString(4), row.getString(5));
    } catch (SQLException e) {
      return "unknown: " + e;
    }
  }

  /** What is in the archive when all is archived, all of it. */
  private static List<String> archived(DataSource dataSource, Path files) {
    ArchivingPurger purger = ArchivingProcess.purger(files);
    Instant before = Instant.now().plusSeconds(3600);
    // The server may take a moment to notice that a session is gone, with its locks.
    Await.until(
        () -> "the rest to be archived; left: " + left(dataSource),
        Duration.ofSeconds(60),
        () -> {
          try (Connection conn = dataSource.getConnection();
              Statement statement = conn.createStatement()) {
            purger.purge(conn, before, EVENTS);
            return !statement.executeQuery("SELECT 1 FROM outbox_event").next();
          } catch (SQLException e) {
            throw new IllegalStateException(e);
          }
        });
    AbstractJdbcOutboxStore store = JdbcOutboxStores.detect(dataSource);
    EventArchive archive =
        files == null
            ? EventArchive.ofTable(dataSource::getConnection, store)
            : EventArchive.ofFiles(dataSource::getConnection, store, files);
    List<String> found = new ArrayList<>();
    String after = null;
    do {
      EventPage page = archive.search(EventFilter.ALL, after, 1000);
      page.events().stream().map(EventSummary::eventId).forEach(found::add);
      after = page.next();
    } while (after != null);
    return found;
  }
}
