package io.outbox.cli.move;

import io.outbox.cli.connect.OutboxSession;
import io.outbox.jdbc.store.MySqlOutboxStore;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;

/** Connections of a session that show every TIMESTAMP of MySQL and MariaDB in UTC. */
final class UtcConnection {

  private UtcConnection() {}

  /** The session's; asked for each time, because the session may have reconnected. */
  static Connection of(OutboxSession session) throws SQLException {
    Connection conn = session.connection();
    if (session.store() instanceof MySqlOutboxStore) {
      try (Statement statement = conn.createStatement()) {
        statement.execute("SET time_zone = '+00:00'");
      }
    }
    return conn;
  }
}
