package io.outbox.spi;

import java.sql.Connection;
import java.sql.SQLException;

/**
 * Gives the engine its own connections, outside business transactions. The engine closes each after
 * use and restores its settings. It rarely uses more than four at the same time.
 */
@FunctionalInterface
public interface ConnectionProvider {

  Connection getConnection() throws SQLException;
}
