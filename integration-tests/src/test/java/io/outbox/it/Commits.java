package io.outbox.it;

import io.outbox.spi.ConnectionProvider;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;

/** Connections whose commit is not quite what it should be. */
final class Commits {

  /** What to do when a commit is asked for. */
  interface Commit {
    void on(Connection real) throws SQLException;
  }

  private Commits() {}

  static ConnectionProvider replaced(ConnectionProvider real, Commit commit) {
    return () -> {
      Connection connection = real.getConnection();
      return (Connection)
          Proxy.newProxyInstance(
              Commits.class.getClassLoader(),
              new Class<?>[] {Connection.class},
              (proxy, method, args) -> {
                if (method.getName().equals("commit")) {
                  commit.on(connection);
                  return null;
                }
                try {
                  return method.invoke(connection, args);
                } catch (InvocationTargetException e) {
                  throw e.getCause();
                }
              });
    };
  }
}
