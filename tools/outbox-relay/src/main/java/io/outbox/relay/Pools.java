package io.outbox.relay;

import com.zaxxer.hikari.HikariDataSource;
import io.outbox.jdbc.OutboxSchema;
import io.outbox.jdbc.OutboxStoreException;
import io.outbox.relay.table.DatabaseConfig;
import io.outbox.relay.table.Mode;
import io.outbox.relay.table.TableConfig;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;

/** A pool of connections for each database, which is reachable and has its tables. */
final class Pools implements AutoCloseable {

  private static final String WHAT_TO_DO =
      """
      Create it in one of these ways:
        - let the relay do it: schema.initialize: always, at the table
        - ./outbox schema create, or the DDL of ./outbox schema print with your migrations
      Migrate an older one with ./outbox schema migrate.
      If the table has another name, set table-name.\
      """;

  private static final String MISSING = "the table is missing"; // as OutboxSchema says it

  private final RelayConfig config;
  private final Map<String, HikariDataSource> pools = new LinkedHashMap<>();

  private Pools(RelayConfig config) {
    this.config = config;
  }

  /** Opens the pools and checks what is behind them; creates tables if it should. */
  static Pools open(RelayConfig config) throws RelayStartException {
    return open(config, true);
  }

  /** Like {@link #open}, but changes nothing. */
  static Pools openToRead(RelayConfig config) throws RelayStartException {
    return open(config, false);
  }

  private static Pools open(RelayConfig config, boolean mayCreate) throws RelayStartException {
    Pools pools = new Pools(config);
    try {
      for (DatabaseConfig database : config.databases()) {
        pools.open(database);
      }
      for (TableConfig table : config.tables()) {
        pools.requireTable(table, mayCreate);
      }
      return pools;
    } catch (RelayStartException | RuntimeException e) {
      pools.close();
      throw e;
    }
  }

  DataSource of(TableConfig table) {
    return pools.get(table.database().name());
  }

  private void open(DatabaseConfig database) throws RelayStartException {
    int needed =
        config.tables().stream()
            .filter(table -> table.database() == database)
            .mapToInt(TableConfig::connections)
            .sum();
    try {
      HikariDataSource pool = new HikariDataSource(database.pool(needed));
      pools.put(database.name(), pool);
      try (Connection connection = pool.getConnection()) {
        connection.getMetaData().getDatabaseProductName();
      }
    } catch (SQLException | RuntimeException e) {
      throw Failures.at(
          config,
          database.at(),
          "the database cannot be used: "
              + Failures.reason(e)
              + ". Check url, username and password, and that it runs.");
    }
  }

  /** Whether the start would create the table. */
  boolean isToBeCreated(TableConfig table) {
    return table.initializesSchema()
        && OutboxSchema.problems(of(table), table.tableName()).contains(MISSING);
  }

  private void requireTable(TableConfig table, boolean mayCreate) throws RelayStartException {
    DataSource pool = of(table);
    try {
      if (mayCreate && table.initializesSchema()) {
        OutboxSchema.create(pool, table.tableName());
        if (table.mode() == Mode.ORDERED_BY_KEY) {
          OutboxSchema.createOrderedByKey(pool, table.tableName());
        }
        if (table.archivesToTable()) {
          OutboxSchema.createArchive(pool, table.tableName());
        }
      }
      List<String> problems = OutboxSchema.problems(pool, table.tableName());
      if (!problems.isEmpty() && (mayCreate || !isToBeCreated(table))) {
        throw unusable(table, table.tableName() + ": " + String.join("; ", problems));
      }
    } catch (OutboxStoreException e) {
      throw unusable(table, e.getMessage());
    }
  }

  private RelayStartException unusable(TableConfig table, String why) {
    return Failures.at(
        config,
        table.at(),
        "the table cannot be used: " + why + System.lineSeparator() + WHAT_TO_DO);
  }

  @Override
  public void close() {
    pools.values().forEach(HikariDataSource::close);
  }
}
