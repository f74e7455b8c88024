package io.outbox.wiring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.outbox.jdbc.archive.ArchivingPurger;
import io.outbox.jdbc.partition.PartitionRotation;
import io.outbox.jdbc.purge.H2AgeBasedPurger;
import io.outbox.jdbc.purge.H2EventPurger;
import io.outbox.jdbc.store.H2OutboxStore;
import io.outbox.jdbc.store.PostgresOutboxStore;
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
  private static final Settings.Rotation NOT_ROTATED = new Settings.Rotation(false, 1_000_000, 2);

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
    Settings.Archive archive = Samples.all().purge().archive();
    Settings archiving = purging(Mode.MULTI_NODE, archive, NOT_ROTATED);
    assertThat(Purgers.of(STORE, archiving)).isInstanceOf(ArchivingPurger.class);
    assertThatThrownBy(() -> Purgers.of(STORE, purging(Mode.WRITER_ONLY, archive, NOT_ROTATED)))
        .isInstanceOf(OutboxConfigurationException.class)
        .hasMessageContaining("outbox.purge.archive.to");
    assertThatThrownBy(() -> Purgers.of(new InMemoryOutboxStore(), archiving))
        .isInstanceOf(OutboxConfigurationException.class)
        .hasMessageContaining("there is no purger for the store");
  }

  @Test
  void partitionsAreRotatedOnPostgresqlWhereEventsAreDelivered() {
    PostgresOutboxStore postgres = new PostgresOutboxStore();
    Settings.Archive none = Samples.defaults(Mode.MULTI_NODE, true).purge().archive();
    Settings.Rotation rotation = new Settings.Rotation(true, 5_000, 3);
    Settings rotating = purging(Mode.MULTI_NODE, none, rotation);
    assertThat(Purgers.of(postgres, rotating)).isInstanceOf(PartitionRotation.class);
    assertRefused(STORE, rotating, "outbox.purge.rotation.enabled");
    assertRefused(
        postgres, purging(Mode.WRITER_ONLY, none, rotation), "outbox.purge.rotation.enabled");
    assertRefused(
        postgres,
        purging(Mode.MULTI_NODE, Samples.all().purge().archive(), rotation),
        "outbox.purge.archive.to");
    assertRefused(
        postgres,
        purging(Mode.MULTI_NODE, none, new Settings.Rotation(true, 5, 3)),
        "outbox.purge.rotation");
  }

  private static void assertRefused(OutboxStore store, Settings settings, String property) {
    assertThatThrownBy(() -> Purgers.of(store, settings))
        .isInstanceOf(OutboxConfigurationException.class)
        .hasMessageContaining(property);
  }

  private static Settings purging(Mode mode, Settings.Archive archive, Settings.Rotation rotation) {
    Settings from = Samples.defaults(mode, false);
    return new Settings(
        from.prefix(),
        mode,
        from.tableName(),
        from.deleteOnDone(),
        from.virtualThreads(),
        from.dispatcher(),
        from.retry(),
        from.listeners(),
        from.poller(),
        from.claimLocking(),
        from.orderedByKey(),
        new Settings.Purge(true, from.purge().retention(), 500, 3600L, archive, rotation),
        from.schema());
  }
}
