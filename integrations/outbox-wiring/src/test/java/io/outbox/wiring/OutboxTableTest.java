package io.outbox.wiring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.outbox.jdbc.archive.ArchivingPurger;
import io.outbox.jdbc.purge.H2AgeBasedPurger;
import io.outbox.jdbc.purge.H2EventPurger;
import io.outbox.jdbc.store.H2OutboxStore;
import io.outbox.spi.OutboxStore;
import io.outbox.testing.InMemoryOutboxStore;
import io.outbox.wiring.Settings.Initialize;
import io.outbox.wiring.Settings.Mode;
import java.util.UUID;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Test;

/** Tables, stores and purgers of settings. */
class OutboxTableTest {

  private static final OutboxStore STORE = new H2OutboxStore("shop.events");

  private static DataSource inMemory() {
    JdbcDataSource dataSource = new JdbcDataSource();
    dataSource.setURL("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");
    return dataSource;
  }

  @Test
  void aTableInMemoryIsCreatedByDefault() {
    DataSource dataSource = inMemory();
    Settings defaults = Samples.defaults(Mode.SINGLE_NODE, false);

    assertThat(new OutboxTable(dataSource, defaults, "").open()).isInstanceOf(H2OutboxStore.class);
    assertThat(OutboxTable.isToBeCreated(dataSource, Initialize.NEVER)).isFalse();
  }

  @Test
  void nothingIsCreatedWhereTheDatabaseCannotBeAsked() {
    JdbcDataSource away = new JdbcDataSource();
    away.setURL("jdbc:h2:mem:away;IFEXISTS=TRUE");

    assertThat(OutboxTable.isToBeCreated(away, Initialize.EMBEDDED)).isFalse();
  }

  @Test
  void aMissingTableIsRefusedWithTheNamesOfTheFramework() {
    assertThatThrownBy(() -> new OutboxTable(inMemory(), validating(), "some.locations").open())
        .isInstanceOf(OutboxConfigurationException.class)
        .hasMessageContainingAll(
            "shop.outbox.schema.initialize=always",
            "with Flyway: some.locations",
            "schema/outbox-liquibase/changelog.sql");
  }

  private static Settings validating() {
    Settings from = Samples.defaults(Mode.SINGLE_NODE, false);
    return new Settings(
        "shop.outbox",
        from.mode(),
        from.tableName(),
        from.deleteOnDone(),
        from.virtualThreads(),
        from.dispatcher(),
        from.retry(),
        from.listeners(),
        from.poller(),
        from.claimLocking(),
        from.orderedByKey(),
        from.purge(),
        new Settings.Schema(Initialize.NEVER, true));
  }

  @Test
  void thePurgerGoesWithTheStoreTheModeAndTheArchive() {
    assertThat(Purgers.of(STORE, Samples.defaults(Mode.SINGLE_NODE, false)))
        .isInstanceOf(H2EventPurger.class);
    assertThat(Purgers.of(STORE, Samples.defaults(Mode.WRITER_ONLY, false)))
        .isInstanceOf(H2AgeBasedPurger.class);
    assertThat(Purgers.of(STORE, Samples.all())).isInstanceOf(ArchivingPurger.class);
    assertThatThrownBy(() -> Purgers.of(STORE, Samples.all(Mode.WRITER_ONLY, null, false)))
        .isInstanceOf(OutboxConfigurationException.class)
        .hasMessageContaining("outbox.purge.archive.to");
    assertThatThrownBy(() -> Purgers.of(new InMemoryOutboxStore(), Samples.all()))
        .isInstanceOf(OutboxConfigurationException.class)
        .hasMessageContaining("there is no purger for the store");
  }
}
