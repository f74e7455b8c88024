package io.outbox.micronaut;

import io.outbox.jdbc.OutboxSchema;
import io.outbox.jdbc.OutboxStoreException;
import io.outbox.micronaut.OutboxConfiguration.Initialize;
import io.outbox.micronaut.OutboxConfiguration.Mode;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;

/** Creates the table if it should, and checks it. Flyway and Liquibase come before. */
final class TableSetup {

  private static final String ACTION =
      """
      Create the table, in one of these ways:
        - let the application do it: outbox.schema.initialize=always
        - with Flyway: add classpath:schema/outbox-flyway/<vendor> to flyway.datasources.*.locations
        - with Liquibase: include schema/outbox-liquibase/changelog.sql in your changelog
        - by hand: the DDL is in the directory schema of the outbox-jdbc jar
      If it is there but older, OutboxSchema.migrate(dataSource) brings it up to date. If it has another name, set
      outbox.table-name. To start without this check: outbox.schema.validate=false\
      """;

  private final DataSource dataSource;
  private final OutboxConfiguration configuration;

  TableSetup(DataSource dataSource, OutboxConfiguration configuration) {
    this.dataSource = dataSource;
    this.configuration = configuration;
  }

  void run() {
    try {
      if (isToBeCreated()) {
        create();
      } else if (configuration.schema().validate()) {
        OutboxSchema.validate(dataSource, configuration.tableName());
      }
    } catch (OutboxStoreException | SQLException e) {
      throw Problem.of("The outbox cannot use its table: " + e.getMessage(), ACTION, e);
    }
  }

  private boolean isToBeCreated() throws SQLException {
    Initialize initialize = configuration.schema().initialize();
    return initialize == Initialize.ALWAYS || (initialize == Initialize.EMBEDDED && isInMemory());
  }

  private boolean isInMemory() throws SQLException {
    try (Connection connection = dataSource.getConnection()) {
      return connection.getMetaData().getURL().startsWith("jdbc:h2:mem:");
    }
  }

  private void create() {
    String table = configuration.tableName();
    OutboxSchema.create(dataSource, table);
    if (configuration.mode() == Mode.WRITER_ONLY && configuration.purge().enabled()) {
      OutboxSchema.createAgeIndex(dataSource, table);
    }
    if (configuration.mode() == Mode.ORDERED_BY_KEY) {
      OutboxSchema.createOrderedByKey(dataSource, table);
    }
  }
}
