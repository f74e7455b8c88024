package io.outbox.jdbc.archive;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.jdbc.JdbcTemplate;
import io.outbox.jdbc.OutboxSchema;
import io.outbox.jdbc.partition.PartitionRotation;
import io.outbox.jdbc.store.PostgresOutboxStore;
import io.outbox.operate.EventFilter;
import io.outbox.operate.EventSummary;
import io.outbox.testdb.Database;
import io.outbox.testdb.TestDatabase;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** In a table in partitions by seq an id is unique only within its partition. */
class PostgresDoubledIdTest {

  private static final JdbcTemplate JDBC = new JdbcTemplate();
  private static final int NEW = 0;
  private static final int DONE = 1;

  enum Place {
    TABLE,
    FILES
  }

  @TempDir Path directory;

  private Database database;
  private DataSource dataSource;

  @BeforeEach
  void create() {
    database = TestDatabase.POSTGRES.fresh();
    dataSource = database.dataSource();
    new PartitionRotation("outbox_event", 1_000, 2, Duration.ofSeconds(5)).create(dataSource);
    OutboxSchema.createArchive(dataSource, "outbox_event");
  }

  @AfterEach
  void drop() {
    database.close();
  }

  private void insert(String id, long seq, int status, int leaseNumber) throws SQLException {
    try (Connection conn = dataSource.getConnection()) {
      JDBC.update(
          conn,
          """
          INSERT INTO outbox_event
            (event_id, seq, status, lease_no, event_type, payload, available_at, created_at)
          VALUES (?, ?, ?, ?, 'OrderPlaced', '{}', '2026-03-01', '2026-03-01')
          """,
          id,
          seq,
          status,
          leaseNumber);
    }
  }

  private int purge(Place place) throws SQLException {
    ArchivingPurger purger =
        switch (place) {
          case TABLE -> ArchivingPurger.toTable("outbox_event");
          case FILES -> ArchivingPurger.toFiles("outbox_event", directory);
        };
    try (Connection conn = dataSource.getConnection()) {
      return purger.purge(conn, Instant.parse("2026-03-02T00:00:00Z"), 10);
    }
  }

  private EventArchive archive(Place place) {
    PostgresOutboxStore store = new PostgresOutboxStore();
    return switch (place) {
      case TABLE -> EventArchive.ofTable(dataSource::getConnection, store);
      case FILES -> EventArchive.ofFiles(dataSource::getConnection, store, directory);
    };
  }

  private List<String> archived(Place place) {
    return archive(place).search(EventFilter.ALL, null, 10).events().stream()
        .map(EventSummary::eventId)
        .toList();
  }

  private List<String> seqs() throws SQLException {
    try (Connection conn = dataSource.getConnection()) {
      return JDBC.query(conn, "SELECT seq FROM outbox_event", row -> row.getString(1));
    }
  }

  @ParameterizedTest
  @EnumSource
  void ofTwoFinishedEventsTheLatestLifeIsKept(Place place) throws SQLException {
    insert("doubled", 1, DONE, 5);
    insert("doubled", 1_500, DONE, 2);
    insert("innocent", 2, DONE, 1);

    assertThat(purge(place)).isEqualTo(3);

    assertThat(archived(place)).containsExactlyInAnyOrder("doubled", "innocent");
    assertThat(archive(place).find("doubled").orElseThrow().leaseNumber()).isEqualTo(5);
    assertThat(seqs()).isEmpty();
  }

  @ParameterizedTest
  @EnumSource
  void R1_anEventThatIsNewStaysBesideAFinishedOneWithItsId(Place place) throws SQLException {
    insert("doubled", 1, DONE, 1);
    insert("doubled", 1_500, NEW, 0);
    insert("innocent", 2, DONE, 1);

    assertThat(purge(place)).isEqualTo(2);

    assertThat(archived(place)).containsExactlyInAnyOrder("doubled", "innocent");
    assertThat(seqs()).containsExactly("1500");
    assertThat(purge(place)).isZero();
  }
}
