/** The outbox table over JDBC, for H2, PostgreSQL, MySQL, MariaDB and databases with a dialect. */
module io.outbox.jdbc {
  requires transitive io.outbox.core;

  exports io.outbox.jdbc;
  exports io.outbox.jdbc.archive;
  exports io.outbox.jdbc.partition;
  exports io.outbox.jdbc.purge;
  exports io.outbox.jdbc.spi;
  exports io.outbox.jdbc.store;
  exports io.outbox.jdbc.tx;

  opens schema;

  uses io.outbox.jdbc.spi.Dialect;
  uses io.outbox.jdbc.store.AbstractJdbcOutboxStore;

  provides io.outbox.jdbc.store.AbstractJdbcOutboxStore with
      io.outbox.jdbc.store.H2OutboxStore,
      io.outbox.jdbc.store.MySqlOutboxStore,
      io.outbox.jdbc.store.PostgresOutboxStore;
}
