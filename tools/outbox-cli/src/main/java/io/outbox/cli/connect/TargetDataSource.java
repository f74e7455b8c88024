package io.outbox.cli.connect;

import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.logging.Logger;
import javax.sql.DataSource;

/** Opens a new connection each time. */
class TargetDataSource implements DataSource {

  private final Target target;

  TargetDataSource(Target target) {
    this.target = target;
  }

  @Override
  public Connection getConnection() throws SQLException {
    return target.connect();
  }

  @Override
  public final Connection getConnection(String username, String password) throws SQLException {
    throw new SQLFeatureNotSupportedException("as another user");
  }

  @Override
  public final PrintWriter getLogWriter() {
    return null;
  }

  @Override
  public final void setLogWriter(PrintWriter out) {}

  @Override
  public final void setLoginTimeout(int seconds) {}

  @Override
  public final int getLoginTimeout() {
    return 0;
  }

  @Override
  public final Logger getParentLogger() throws SQLFeatureNotSupportedException {
    throw new SQLFeatureNotSupportedException("no logger");
  }

  @Override
  public final <T> T unwrap(Class<T> type) throws SQLException {
    throw new SQLFeatureNotSupportedException("nothing is wrapped");
  }

  @Override
  public final boolean isWrapperFor(Class<?> type) {
    return false;
  }
}
