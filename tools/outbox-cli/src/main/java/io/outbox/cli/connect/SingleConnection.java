package io.outbox.cli.connect;

import io.outbox.util.PrintableLogger;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;

/**
 * Hands out one connection again and again: a command does one thing after the other, and
 * connecting takes longer than most of its queries. Not thread-safe.
 */
final class SingleConnection extends TargetDataSource implements AutoCloseable {

  private Connection open;

  SingleConnection(Target target) {
    super(target);
  }

  @Override
  public Connection getConnection() throws SQLException {
    if (open == null || open.isClosed()) {
      open = super.getConnection();
    }
    Connection conn = open;
    return (Connection)
        Proxy.newProxyInstance(
            SingleConnection.class.getClassLoader(),
            new Class<?>[] {Connection.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("close")) {
                return null;
              }
              try {
                return method.invoke(conn, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  /** The next one is new. */
  @Override
  public void close() {
    Connection conn = open;
    open = null;
    if (conn != null) {
      try {
        conn.close();
      } catch (SQLException e) {
        PrintableLogger.of(SingleConnection.class)
            .log(System.Logger.Level.DEBUG, "a connection could not be closed", e);
      }
    }
  }
}
