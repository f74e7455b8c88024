package io.outbox.jdbc;

import io.outbox.spi.ConnectionProvider;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Objects;
import javax.sql.DataSource;

/** Takes connections from a {@link DataSource}, usually a pool. */
public final class DataSourceConnectionProvider implements ConnectionProvider {

  private final DataSource dataSource;

  public DataSourceConnectionProvider(DataSource dataSource) {
    this.dataSource = Objects.requireNonNull(dataSource, "dataSource");
  }

  @Override
  public Connection getConnection() throws SQLException {
    return dataSource.getConnection();
  }
}
