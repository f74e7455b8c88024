package io.outbox.testdb;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import javax.sql.DataSource;

/** An empty database made for one test. Thread-safe. */
public final class Database implements AutoCloseable {
  private final Endpoint server;
  private final String name;
  private final Consumer<String> drop;
  private final List<HikariDataSource> pools = new CopyOnWriteArrayList<>();

  Database(Endpoint server, String name, Consumer<String> drop) {
    this.server = server;
    this.name = name;
    this.drop = drop;
  }

  /** Which product this is. */
  public TestDatabase kind() {
    return server.kind();
  }

  /** The name of the database, unique on its server. */
  public String name() {
    return name;
  }

  /** For the product's own driver. */
  public String jdbcUrl() {
    return server.url(name);
  }

  /** For MySQL Connector/J, which also talks to MariaDB. */
  public String connectorJUrl() {
    return server.connectorJUrl(name);
  }

  /** The user to connect as; may create and drop everything. */
  public String user() {
    return server.user();
  }

  /** The user's password, often empty. */
  public String password() {
    return server.password();
  }

  /** Opens a new connection each time, through the product's own driver. */
  public DataSource dataSource() {
    return DataSources.unpooled(jdbcUrl(), user(), password());
  }

  /** Opens a new connection each time, through MySQL Connector/J. */
  public DataSource connectorJDataSource() {
    return DataSources.unpooled(connectorJUrl(), user(), password());
  }

  /** A new pool of at most {@code size} connections, closed with this database at the latest. */
  public HikariDataSource pooled(int size) {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(jdbcUrl());
    config.setUsername(user());
    config.setPassword(password());
    config.setMaximumPoolSize(size);
    HikariDataSource pool = new HikariDataSource(config);
    pools.add(pool);
    return pool;
  }

  /** Closes the pools and drops the database, with any remaining connections. */
  @Override
  public void close() {
    pools.forEach(HikariDataSource::close);
    drop.accept(name);
  }

  @Override
  public String toString() {
    return kind() + " " + jdbcUrl();
  }
}
