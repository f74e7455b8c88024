package io.outbox.relay.table;

import io.outbox.Outbox;
import io.outbox.jdbc.OutboxSchema;
import io.outbox.jdbc.purge.H2EventPurger;
import io.outbox.jdbc.purge.MySqlEventPurger;
import io.outbox.jdbc.purge.PostgresEventPurger;
import io.outbox.jdbc.store.AbstractJdbcOutboxStore;
import io.outbox.jdbc.store.DialectOutboxStore;
import io.outbox.jdbc.store.H2OutboxStore;
import io.outbox.jdbc.store.PostgresOutboxStore;
import io.outbox.relay.yaml.Position;
import io.outbox.relay.yaml.Section;
import io.outbox.relay.yaml.Spelling;
import io.outbox.relay.yaml.Values;
import io.outbox.spi.EventPurger;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** A table to read, and how. */
public final class TableConfig {

  private static final String DEFAULT_TABLE = "outbox_event";

  /** Those of an outbox at the same time: poller, recorder, leases, purge, health. */
  private static final int CONNECTIONS = 5;

  private final String name;
  private final Position at;
  private final DatabaseConfig database;
  private final String tableName;
  private final Mode mode;
  private final boolean initializesSchema;
  private final TableSettings settings;

  /** When the table is created. */
  private enum Initialize {
    ALWAYS,
    NEVER
  }

  private TableConfig(String name, Section section, DatabaseConfig database) {
    this.name = name;
    this.at = section.at();
    this.database = database;
    this.tableName = tableName(section);
    Values values = Values.of(section);
    this.mode = values.choice("mode", Mode.class, Mode.MULTI_NODE);
    Section schema = section.sectionOrEmpty("schema");
    this.initializesSchema =
        Values.of(schema).choice("initialize", Initialize.class, Initialize.NEVER)
            == Initialize.ALWAYS;
    schema.done();
    this.settings = new TableSettings(mode, section);
    refuseWhatIsForOtherModes(section);
    section.done();
  }

  /**
   * Reads one of the section {@code tables}.
   *
   * @param databases those that could be read
   * @param databaseNames those that are in the file
   * @return null if its database is not known
   */
  public static TableConfig read(
      String name,
      Section section,
      Map<String, DatabaseConfig> databases,
      Collection<String> databaseNames) {
    String database = section.required("database", "the name of one of the section 'databases'");
    if (database != null && !databaseNames.contains(database)) {
      section.problem(
          "database",
          "there is no database '" + database + "'; " + Spelling.hint(database, databaseNames));
    }
    TableConfig table = new TableConfig(name, section, databases.get(database));
    return table.database == null ? null : table;
  }

  private static String tableName(Section section) {
    String name = section.text("table-name");
    if (name == null) {
      return DEFAULT_TABLE;
    }
    try {
      OutboxSchema.ddl("h2", name);
      return name;
    } catch (IllegalArgumentException e) {
      section.problem("table-name", e.getMessage());
      return DEFAULT_TABLE;
    }
  }

  private void refuseWhatIsForOtherModes(Section section) {
    refuse(section, "claim-locking", Set.of(), mode == Mode.MULTI_NODE);
    refuse(section, "ordered-by-key", Set.of(), mode == Mode.ORDERED_BY_KEY);
    if (mode == Mode.ORDERED) {
      refuse(section, "dispatcher", Set.of("drain-timeout-ms"), false);
      refuse(section, "retry", Set.of("max-age"), false);
    }
    if (mode == Mode.ORDERED_BY_KEY) {
      Section found = section.sectionOrEmpty("dispatcher");
      refuse(found, "listener-timeout", Set.of(), false);
      refuse(section.sectionOrEmpty("poller"), "batch-size", Set.of(), false);
    }
  }

  private void refuse(Section section, String key, Set<String> except, boolean fits) {
    if (fits || !section.has(key)) {
      return;
    }
    String message = "has no effect in the mode " + mode;
    if (except.isEmpty()) {
      section.problem(key, message);
      return;
    }
    section
        .section(key)
        .ifPresent(
            found ->
                found.names().stream()
                    .filter(one -> !except.contains(one))
                    .forEach(one -> found.problem(one, message)));
  }

  /** The name that rules, metrics and logs know it by. */
  public String name() {
    return name;
  }

  /** Where it is in the file. */
  public Position at() {
    return at;
  }

  public DatabaseConfig database() {
    return database;
  }

  public String tableName() {
    return tableName;
  }

  public Mode mode() {
    return mode;
  }

  /** Whether the table is created if it is missing. */
  public boolean initializesSchema() {
    return initializesSchema;
  }

  /** How many connections it uses at the same time. */
  public int connections() {
    return CONNECTIONS + (settings.notifies() ? 1 : 0);
  }

  /** How long closing delivers queued events. */
  public Duration drainTimeout() {
    return settings.drainTimeout();
  }

  /** The builder of its outbox, with all settings of this table that the file has. */
  public Outbox.DispatchingBuilder<?> builder(AbstractJdbcOutboxStore store) {
    Outbox.DispatchingBuilder<?> builder = settings.builder().outboxStore(store);
    return settings.purges() ? builder.purger(purger(store)) : builder;
  }

  /** Whether it needs the archive table. */
  public boolean archivesToTable() {
    return settings.purges() && settings.archive().isTable();
  }

  private EventPurger purger(AbstractJdbcOutboxStore store) {
    return settings.archive().purger(store.tableName()).orElseGet(() -> deleting(store));
  }

  private static EventPurger deleting(AbstractJdbcOutboxStore store) {
    if (store instanceof H2OutboxStore) {
      return new H2EventPurger(store.tableName());
    }
    if (store instanceof DialectOutboxStore other) {
      return other.purger();
    }
    return store instanceof PostgresOutboxStore
        ? new PostgresEventPurger(store.tableName())
        : new MySqlEventPurger(store.tableName());
  }

  /** Its name, where it is and how it is read, without secrets. */
  @Override
  public String toString() {
    return String.join(
        "",
        List.of(
            "table ",
            name,
            " (",
            tableName,
            " of ",
            database.name(),
            ", ",
            mode.toString(),
            ", every ",
            Values.text(settings.interval()),
            ")"));
  }
}
