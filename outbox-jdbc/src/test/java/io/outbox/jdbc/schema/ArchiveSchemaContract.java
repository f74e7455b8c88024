package io.outbox.jdbc.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.outbox.EventEnvelope;
import io.outbox.jdbc.Addition;
import io.outbox.jdbc.OutboxSchema;
import io.outbox.jdbc.OutboxStoreException;
import io.outbox.jdbc.archive.ArchivingPurger;
import io.outbox.jdbc.archive.EventArchive;
import io.outbox.jdbc.store.Target;
import io.outbox.operate.EventFilter;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/** What {@link OutboxSchema#createArchive} must do on every database. */
abstract class ArchiveSchemaContract extends SchemaAdditionContract {

  ArchiveSchemaContract(Target target) {
    super(target);
  }

  @Override
  void createAndUse(String table) throws SQLException {
    OutboxSchema.create(dataSource, table);
    OutboxSchema.createArchive(dataSource, table);
    archiveOne(table, "kept");

    OutboxSchema.createArchive(dataSource, table);
    OutboxSchema.migrate(dataSource, table);

    assertThat(OutboxSchema.problems(dataSource, table, Addition.ARCHIVE)).isEmpty();
    assertThat(OutboxSchema.problems(dataSource, table)).isEmpty();
    EventArchive archive = EventArchive.ofTable(dataSource::getConnection, target.store(table));
    assertThat(archive.search(EventFilter.ALL, null, 10).events()).hasSize(1);
    assertThat(archive.replay("kept")).isTrue();
  }

  private void archiveOne(String table, String eventId) throws SQLException {
    EventEnvelope event =
        EventEnvelope.builder("Tested").eventId(eventId).payloadJson("{}").build();
    try (Connection conn = dataSource.getConnection()) {
      target.store(table).insertNew(conn, event);
      target.store(table).markDone(conn, eventId);
      Instant later = Instant.now().plusSeconds(3600);
      assertThat(ArchivingPurger.toTable(table).purge(conn, later, 10)).isEqualTo(1);
    }
  }

  @Test
  void aTableHasNoArchiveUntilSomebodyAsksForIt() {
    OutboxSchema.create(dataSource, "events");
    OutboxSchema.migrate(dataSource, "events");
    OutboxSchema.validate(dataSource, "events");

    assertThat(OutboxSchema.problems(dataSource, "events", Addition.ARCHIVE))
        .contains("table events_archive is missing");
    OutboxSchema.createArchive(dataSource, "events");
    assertThat(OutboxSchema.problems(dataSource, "events", Addition.ARCHIVE)).isEmpty();
  }

  @Test
  void withoutAnOutboxTableNothingIsAdded() {
    assertThatThrownBy(() -> OutboxSchema.createArchive(dataSource, "nowhere"))
        .isInstanceOf(OutboxStoreException.class)
        .hasMessageContaining("the table is missing");
    assertThat(OutboxSchema.problems(dataSource, "nowhere", Addition.ARCHIVE))
        .containsExactly("the table is missing");
  }

  @Test
  void nodesThatStartTogetherAddTheTableOnce() throws Exception {
    OutboxSchema.create(dataSource);
    fourTimesAtOnce(() -> OutboxSchema.createArchive(dataSource, "outbox_event"));
    assertThat(OutboxSchema.problems(dataSource, "outbox_event", Addition.ARCHIVE)).isEmpty();
  }

  @Test
  void theDdlIsThatOfTheDatabaseWithTheNameOfTheTable() {
    assertThat(OutboxSchema.ddl(product(), "app.my_events", Addition.ARCHIVE))
        .contains("CREATE TABLE app.my_events_archive (")
        .contains("my_events_archive_time")
        .doesNotContain("outbox_event")
        .doesNotContain("app.my_events_archive_time");
  }
}
