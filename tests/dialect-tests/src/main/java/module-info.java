/** A dialect of somebody else; the compiler sees what is exported, and nothing more. */
module com.example.hypersql {
  requires io.outbox.jdbc;

  provides io.outbox.jdbc.spi.Dialect with
      com.example.hypersql.HyperSqlDialect;
}
