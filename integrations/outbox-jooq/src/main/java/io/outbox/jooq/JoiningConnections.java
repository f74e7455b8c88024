package io.outbox.jooq;

import io.outbox.jdbc.tx.ThreadLocalTxContext;
import io.outbox.spi.ConnectionProvider;
import java.sql.Connection;
import java.sql.SQLException;
import org.jooq.exception.DataAccessException;

/** The connection of the thread's transaction, if it is in one. */
final class JoiningConnections implements org.jooq.ConnectionProvider {

  private final ConnectionProvider connections;
  private final ThreadLocalTxContext txContext;

  JoiningConnections(ConnectionProvider connections, ThreadLocalTxContext txContext) {
    this.connections = connections;
    this.txContext = txContext;
  }

  @Override
  public Connection acquire() {
    if (txContext.isTransactionActive()) {
      return txContext.currentConnection();
    }
    try {
      return connections.getConnection();
    } catch (SQLException e) {
      throw new DataAccessException("could not get a connection: " + e.getMessage(), e);
    }
  }

  @Override
  public void release(Connection connection) {
    if (txContext.isTransactionActive() && txContext.currentConnection() == connection) {
      return;
    }
    try {
      connection.close();
    } catch (SQLException e) {
      throw new DataAccessException("could not close a connection: " + e.getMessage(), e);
    }
  }
}
