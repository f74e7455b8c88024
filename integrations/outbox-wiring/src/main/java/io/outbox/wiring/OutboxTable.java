package io.outbox.wiring;

import io.outbox.jdbc.OutboxSchema;
import io.outbox.jdbc.OutboxStoreException;
import io.outbox.jdbc.store.JdbcOutboxStores;
import io.outbox.spi.OutboxStore;
import io.outbox.util.PrintableLogger;
import io.outbox.wiring.Settings.ArchiveTarget;
import io.outbox.wiring.Settings.Initialize;
import io.outbox.wiring.Settings.Mode;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Objects;
import javax.sql.DataSource;

/** Creates the table if it should, checks it, and makes its store. */
public final class OutboxTable {

  private static final Logger LOG = PrintableLogger.of(OutboxTable.class);

  private static final List<String> IN_MEMORY =
      List.of("jdbc:h2:mem:", "jdbc:hsqldb:mem:", "jdbc:derby:memory:");

  private static final String DATABASE_ACTION =
      """
      Do one of these:
        - see that the database can be reached, and that it is H2, PostgreSQL, MySQL or MariaDB
        - choose another DataSource with outbox.datasource, if there are several
        - declare your own OutboxStore bean
        - do without the outbox: outbox.enabled=false\
      """;

  private static final String TABLE_ACTION =
      """
      Create the table, in one of these ways:
        - let the application do it: outbox.schema.initialize=always
        - with Flyway: FLYWAY
        - with Liquibase: include schema/outbox-liquibase/changelog.sql in your changelog
        - by hand: the DDL is in the directory schema of the outbox-jdbc jar
      If it is there but older, OutboxSchema.migrate(dataSource) brings it up to date. If it has another name, set
      outbox.table-name. To start without this check: outbox.schema.validate=false\
      """;

  private final DataSource dataSource;
  private final Settings settings;
  private final String flyway;

  /**
   * The table of these settings.
   *
   * @param flyway how the framework's Flyway is told where our migrations are, for a message
   */
  public OutboxTable(DataSource dataSource, Settings settings, String flyway) {
    this.dataSource = Objects.requireNonNull(dataSource, "dataSource");
    this.settings = Objects.requireNonNull(settings, "settings");
    this.flyway = Objects.requireNonNull(flyway, "flyway");
  }

  /**
   * The store of the table, which is there.
   *
   * @throws OutboxConfigurationException if it is not, or the outbox does not know the database
   */
  public OutboxStore open() {
    OutboxStore store = detect();
    try {
      if (isToBeCreated(dataSource, settings.schema().initialize())) {
        create();
      } else if (settings.schema().validate()) {
        OutboxSchema.validate(dataSource, settings.tableName());
      }
    } catch (OutboxStoreException e) {
      throw new OutboxConfigurationException(
          "The outbox cannot use its table: " + e.getMessage(),
          named(TABLE_ACTION).replace("FLYWAY", flyway),
          e);
    }
    return store;
  }

  private OutboxStore detect() {
    try {
      return JdbcOutboxStores.detect(dataSource, settings.tableName());
    } catch (IllegalArgumentException e) {
      throw Property.invalid(settings.name("table-name"), e);
    } catch (OutboxStoreException e) {
      throw new OutboxConfigurationException(
          "The outbox cannot use its database: " + e.getMessage(), named(DATABASE_ACTION), e);
    }
  }

  private String named(String action) {
    return action.replaceAll("\\boutbox(?=\\.[a-z])", settings.prefix());
  }

  /** Whether tables are created at the start; false if the database does not say where it is. */
  public static boolean isToBeCreated(DataSource dataSource, Initialize initialize) {
    Objects.requireNonNull(dataSource, "dataSource");
    Objects.requireNonNull(initialize, "initialize");
    return initialize == Initialize.ALWAYS
        || (initialize == Initialize.EMBEDDED && isInMemory(dataSource));
  }

  private static boolean isInMemory(DataSource dataSource) {
    try (Connection connection = dataSource.getConnection()) {
      String url = connection.getMetaData().getURL();
      return url != null && IN_MEMORY.stream().anyMatch(url::startsWith);
    } catch (SQLException e) {
      LOG.log(Level.DEBUG, "the database does not tell its URL; its tables are not created", e);
      return false;
    }
  }

  private void create() {
    String table = settings.tableName();
    Settings.Purge purge = settings.purge();
    if (purge.enabled() && purge.rotation().enabled()) {
      Purgers.rotation(table, settings).create(dataSource);
    }
    OutboxSchema.create(dataSource, table);
    if (settings.mode() == Mode.WRITER_ONLY && purge.enabled()) {
      OutboxSchema.createAgeIndex(dataSource, table);
    }
    if (settings.mode() == Mode.ORDERED_BY_KEY) {
      OutboxSchema.createOrderedByKey(dataSource, table);
    }
    if (purge.enabled() && purge.archive().to() == ArchiveTarget.TABLE) {
      OutboxSchema.createArchive(dataSource, table);
    }
  }
}
