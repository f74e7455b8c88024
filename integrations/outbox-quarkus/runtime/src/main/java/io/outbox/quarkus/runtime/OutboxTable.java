package io.outbox.quarkus.runtime;

import io.outbox.jdbc.OutboxSchema;
import io.outbox.jdbc.OutboxStoreException;
import io.outbox.jdbc.store.JdbcOutboxStores;
import io.outbox.quarkus.runtime.OutboxConfig.Initialize;
import io.outbox.quarkus.runtime.OutboxConfig.Mode;
import io.outbox.spi.OutboxStore;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;

/** Creates the table if it should, checks it, and makes its store. */
final class OutboxTable {

  private static final String ACTION =
      " Create it with quarkus.outbox.schema.initialize=always, with Flyway"
          + " (quarkus.flyway.locations=db/migration,schema/outbox-flyway/postgresql), or with"
          + " Liquibase (include schema/outbox-liquibase/changelog.sql). OutboxSchema.migrate brings"
          + " an older table up to date; quarkus.outbox.table-name names another one";

  private final DataSource dataSource;
  private final OutboxConfig config;

  OutboxTable(DataSource dataSource, OutboxConfig config) {
    this.dataSource = dataSource;
    this.config = config;
  }

  OutboxStore open() {
    OutboxStore store = detect();
    try {
      if (isToBeCreated()) {
        create();
      } else if (config.schema().validate()) {
        OutboxSchema.validate(dataSource, config.tableName());
      }
    } catch (OutboxStoreException e) {
      throw Settings.refused(
          "table-name", "The outbox cannot use its table: " + e.getMessage() + "." + ACTION, e);
    }
    return store;
  }

  private OutboxStore detect() {
    try {
      return JdbcOutboxStores.detect(dataSource, config.tableName());
    } catch (IllegalArgumentException e) {
      throw Settings.invalid("table-name", e);
    } catch (OutboxStoreException e) {
      throw Settings.refused(
          "datasource",
          "The outbox cannot use its database: "
              + e.getMessage()
              + ". See that it can be reached and is H2, PostgreSQL, MySQL or MariaDB; choose"
              + " another one with quarkus.outbox.datasource, or produce your own OutboxStore",
          e);
    }
  }

  private boolean isToBeCreated() {
    return config.schema().initialize() == Initialize.ALWAYS
        || (config.schema().initialize() == Initialize.EMBEDDED && isInMemory());
  }

  private boolean isInMemory() {
    try (Connection connection = dataSource.getConnection()) {
      return connection.getMetaData().getURL().startsWith("jdbc:h2:mem:");
    } catch (SQLException e) {
      throw new OutboxStoreException("the database does not tell its URL", e);
    }
  }

  private void create() {
    OutboxSchema.create(dataSource, config.tableName());
    if (config.mode() == Mode.WRITER_ONLY && config.purge().enabled()) {
      OutboxSchema.createAgeIndex(dataSource, config.tableName());
    }
    if (config.mode() == Mode.ORDERED_BY_KEY) {
      OutboxSchema.createOrderedByKey(dataSource, config.tableName());
    }
  }
}
