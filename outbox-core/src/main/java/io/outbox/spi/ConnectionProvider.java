package io.outbox.spi;

import java.sql.Connection;
import java.sql.SQLException;

/**
 * Gives the engine connections of its own, outside the business transactions. The engine closes
 * each after use and leaves its settings as it found them. Rarely more than four are in use at a
 * time.
 */
@FunctionalInterface
public interface ConnectionProvider {

  Connection getConnection() throws SQLException;
}
