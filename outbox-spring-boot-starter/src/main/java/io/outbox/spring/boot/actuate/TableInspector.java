package io.outbox.spring.boot.actuate;

import io.outbox.model.Backlog;
import io.outbox.spi.ConnectionProvider;
import io.outbox.spi.OutboxStore;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** Looks into the outbox table, with bounded effort whatever its size. */
final class TableInspector {

  /** Up to here events of a status are counted. */
  static final int CAP = 10_000;

  private final ConnectionProvider connections;
  private final OutboxStore store;

  TableInspector(ConnectionProvider connections, OutboxStore store) {
    this.connections = connections;
    this.store = store;
  }

  /**
   * What was found.
   *
   * @param now the database's time
   */
  record Finding(Backlog backlog, Instant now) {

    /** How long the oldest event that is due has been waiting; zero if none is. */
    Duration lag() {
      Instant oldest = backlog.oldestWaiting();
      return oldest == null || oldest.isAfter(now) ? Duration.ZERO : Duration.between(oldest, now);
    }
  }

  /** Empty if the store cannot tell. */
  Optional<Finding> inspect() throws SQLException {
    try (Connection conn = connections.getConnection()) {
      try {
        Instant now = store.currentTime(conn).orElseGet(Instant::now);
        return store.backlog(conn, CAP).map(backlog -> new Finding(backlog, now));
      } finally {
        if (!conn.getAutoCommit()) {
          conn.rollback();
        }
      }
    }
  }
}
