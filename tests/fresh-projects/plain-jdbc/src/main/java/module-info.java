/** A user on the module path. */
module com.example.shop {
  requires com.h2database;
  requires io.outbox.jdbc;
  requires io.outbox.gson;
  requires java.naming; // of the DataSource of H2
  requires java.sql;
}
