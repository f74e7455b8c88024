package io.outbox.spring.boot.wiring;

import io.outbox.jdbc.OutboxSchema;
import io.outbox.jdbc.OutboxStoreException;
import io.outbox.spring.boot.OutboxProperties;
import io.outbox.spring.boot.OutboxProperties.ArchiveTarget;
import io.outbox.spring.boot.OutboxProperties.Initialize;
import io.outbox.spring.boot.OutboxProperties.Mode;
import javax.sql.DataSource;
import org.springframework.boot.jdbc.EmbeddedDatabaseConnection;

/** Creates the table if it should, and checks it, before a store is made for it. */
public final class SchemaInitializer {

  private static final String ACTION =
      """
      Create the table, in one of these ways:
        - let the application do it: outbox.schema.initialize=always
        - with Flyway: spring.flyway.locations=classpath:db/migration,classpath:schema/outbox-flyway/{vendor}
        - with Liquibase: include schema/outbox-liquibase/changelog.sql in your changelog
        - by hand: the DDL is in the directory schema of the outbox-jdbc jar
      If it is there but older, OutboxSchema.migrate(dataSource) brings it up to date. If it has another name, set
      outbox.table-name. To start without this check: outbox.schema.validate=false\
      """;

  private final DataSource dataSource;
  private final OutboxProperties properties;

  public SchemaInitializer(DataSource dataSource, OutboxProperties properties) {
    this.dataSource = dataSource;
    this.properties = properties;
  }

  public void run() {
    try {
      if (isToBeCreated(dataSource, properties)) {
        create();
      } else if (properties.schema().validate()) {
        OutboxSchema.validate(dataSource, properties.tableName());
      }
    } catch (OutboxStoreException e) {
      throw new OutboxConfigurationException(
          "The outbox cannot use its table: " + e.getMessage(), ACTION, e);
    }
  }

  public static boolean isToBeCreated(DataSource dataSource, OutboxProperties properties) {
    Initialize initialize = properties.schema().initialize();
    return initialize == Initialize.ALWAYS
        || (initialize == Initialize.EMBEDDED && EmbeddedDatabaseConnection.isEmbedded(dataSource));
  }

  private void create() {
    OutboxSchema.create(dataSource, properties.tableName());
    if (properties.mode() == Mode.WRITER_ONLY && properties.purge().enabled()) {
      OutboxSchema.createAgeIndex(dataSource, properties.tableName());
    }
    if (properties.mode() == Mode.ORDERED_BY_KEY) {
      OutboxSchema.createOrderedByKey(dataSource, properties.tableName());
    }
    if (properties.purge().enabled() && properties.purge().archive().to() == ArchiveTarget.TABLE) {
      OutboxSchema.createArchive(dataSource, properties.tableName());
    }
  }
}
