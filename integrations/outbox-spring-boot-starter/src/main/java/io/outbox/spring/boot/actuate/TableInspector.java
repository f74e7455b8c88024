package io.outbox.spring.boot.actuate;

import io.outbox.operate.OutboxOperator;
import io.outbox.spi.Backlog;
import io.outbox.spi.ConnectionProvider;
import io.outbox.spi.OutboxStore;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/** Looks into the outbox table, with bounded effort whatever its size. */
final class TableInspector {

  /** Events of a status are usually counted up to here. */
  static final int CAP = 10_000;

  private final ConfigurableListableBeanFactory beans;

  TableInspector(ConfigurableListableBeanFactory beans) {
    this.beans = beans;
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

  /**
   * Empty if the store cannot tell, or is no bean.
   *
   * @param cap up to which events of a status are counted
   */
  Optional<Finding> inspect(int cap) throws SQLException {
    OutboxStore store = inUse(OutboxStore.class);
    ConnectionProvider connections = inUse(ConnectionProvider.class);
    return store == null || connections == null
        ? Optional.empty()
        : inspect(store, connections, cap);
  }

  /** Empty if the store cannot be operated, or is no bean. */
  Optional<OutboxOperator> operator() {
    OutboxStore store = inUse(OutboxStore.class);
    ConnectionProvider connections = inUse(ConnectionProvider.class);
    return store == null || connections == null || store.operator().isEmpty()
        ? Optional.empty()
        : Optional.of(OutboxOperator.of(connections, store));
  }

  /**
   * An outbox that was wired by hand may not use these beans, and then there is none to look at.
   */
  private <T> T inUse(Class<T> type) {
    T found = null;
    for (String name : beans.getBeanNamesForType(type, false, false)) {
      if (beans.containsSingleton(name)) {
        if (found != null) {
          return null;
        }
        found = beans.getBean(name, type);
      }
    }
    return found;
  }

  private static Optional<Finding> inspect(
      OutboxStore store, ConnectionProvider connections, int cap) throws SQLException {
    try (Connection conn = connections.getConnection()) {
      try {
        Instant now = store.currentTime(conn).orElseGet(Instant::now);
        return store.backlog(conn, cap).map(backlog -> new Finding(backlog, now));
      } finally {
        if (!conn.getAutoCommit()) {
          conn.rollback();
        }
      }
    }
  }
}
