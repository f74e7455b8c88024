package io.outbox.jdbc.archive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.outbox.jdbc.OutboxSchema;
import io.outbox.jdbc.OutboxStoreException;
import io.outbox.jdbc.internal.Product;
import io.outbox.jdbc.purge.H2AgeBasedPurger;
import io.outbox.jdbc.purge.MySqlAgeBasedPurger;
import io.outbox.jdbc.purge.PostgresAgeBasedPurger;
import io.outbox.jdbc.store.Target;
import io.outbox.model.EventStatus;
import io.outbox.operate.EventFilter;
import io.outbox.spi.EventPurger;
import java.sql.Connection;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;

/** What an archive in a table must do on every database. */
abstract class TableArchiveContract extends ArchiveContract {

  private final Product product;

  TableArchiveContract(Target target) {
    super(target);
    this.product = target.product();
  }

  @Override
  ArchivingPurger purger() {
    return ArchivingPurger.toTable(TABLE);
  }

  @Override
  EventArchive archive() {
    return EventArchive.ofTable(dataSource::getConnection, store);
  }

  @Test
  void theArchiveHasARowPerEvent() throws SQLException {
    insertDone(event("a", T0).build());
    purge(10);
    archive().replay("a");
    finish("a", EventStatus.DONE, null);
    purge(10);

    assertThat(archived(EventFilter.ALL)).containsExactly("a");
  }

  @Test
  void R1_withoutItsTableNothingIsDeletedAndTheMessageSaysWhatToDo() throws SQLException {
    insertDone(event("a", T0).build());
    execute("DROP TABLE outbox_event_archive");

    assertThat(archive().exists()).isFalse();
    assertPurgeFails("OutboxSchema.createArchive(dataSource, \"outbox_event\")");
    assertThat(operator().find("a")).isPresent();
    assertThatThrownBy(() -> archive().search(EventFilter.ALL, null, 10))
        .isInstanceOf(OutboxStoreException.class)
        .hasMessageContaining("OutboxSchema.createArchive");

    OutboxSchema.createArchive(dataSource, TABLE);
    assertThat(archive().exists()).isTrue();
    assertThat(purge(10)).isEqualTo(1);
  }

  @Test
  void anAgeBasedPurgerEmptiesTheArchive() throws SQLException {
    insertDone(event("old", T0).build());
    insertDone(event("young", T0.plusSeconds(10)).build());
    purge(10);

    EventPurger old =
        switch (product.family()) {
          case H2, OTHER -> new H2AgeBasedPurger("outbox_event_archive");
          case POSTGRESQL -> new PostgresAgeBasedPurger("outbox_event_archive");
          case MYSQL -> new MySqlAgeBasedPurger("outbox_event_archive");
        };
    try (Connection conn = dataSource.getConnection()) {
      assertThat(old.purge(conn, T0.plusSeconds(10), 100)).isEqualTo(1);
    }
    assertThat(archived(EventFilter.ALL)).containsExactly("young");
  }
}
