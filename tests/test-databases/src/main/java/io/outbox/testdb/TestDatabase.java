package io.outbox.testdb;

import java.util.Map;

/**
 * The databases the tests run on. One server per kind and JVM is started on first use and stopped
 * when the JVM ends, unless a system property such as {@code outbox.test.postgres.url}, or the
 * environment variable {@code OUTBOX_TEST_POSTGRES_URL}, names an existing server. Thread-safe.
 */
public enum TestDatabase {
  /** In memory, in this JVM. */
  H2,
  /** PostgreSQL 18, or another version: see CONTRIBUTING.md. */
  POSTGRES,
  /** MariaDB 11.4. */
  MARIADB,
  /** MySQL 8.0; its server comes with the Maven profile {@code mysql}. */
  MYSQL;

  private Endpoint shared;
  private IllegalStateException failure;

  /**
   * Creates an empty database with a unique name; closing it drops it.
   *
   * @throws IllegalStateException if the server cannot be started or reached; the message says what
   *     to do
   */
  public Database fresh() {
    return shared().createDatabase();
  }

  /**
   * Starts a separate server, which can be killed and restarted. What was committed survives a kill
   * of the server, not a loss of power.
   */
  public DedicatedServer dedicatedServer() {
    return dedicatedServer(Map.of());
  }

  /**
   * Starts a separate server whose every commit reaches the disk: for measuring. MySQL's threads
   * for its log wait by spinning; on two cores they take most of one from everybody else.
   */
  public DedicatedServer durableServer() {
    return dedicatedServer(
        switch (this) {
          case POSTGRES -> Map.of("fsync", "on", "full_page_writes", "on");
          case MYSQL ->
              Map.of("innodb-flush-log-at-trx-commit", "1", "innodb-log-writer-threads", "OFF");
          default -> Map.of("innodb-flush-log-at-trx-commit", "1");
        });
  }

  /** Starts a separate server with additional settings, such as {@code wal_level=logical}. */
  public DedicatedServer dedicatedServer(Map<String, String> settings) {
    return new DedicatedServer(ServerProcess.create(this, settings));
  }

  private synchronized Endpoint shared() {
    if (failure != null) {
      throw new IllegalStateException(failure.getMessage(), failure);
    }
    if (shared == null) {
      try {
        shared = findOrStart();
      } catch (IllegalStateException e) {
        failure = e;
        throw e;
      }
    }
    return shared;
  }

  private Endpoint findOrStart() {
    if (this == H2) {
      return new Endpoint(H2, "jdbc:h2:mem:", "sa", "");
    }
    return ExistingServer.named(this, System::getProperty, System.getenv()::get)
        .orElseGet(() -> ServerProcess.create(this, Map.of()).start());
  }
}
