/** Writes events in Spring's transactions. */
module io.outbox.spring {
  requires transitive io.outbox.core;
  requires transitive spring.tx;
  requires spring.core;
  requires spring.jdbc;
  requires static jakarta.persistence;
  requires static spring.orm;

  exports io.outbox.spring;
}
