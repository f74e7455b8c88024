/** For integrations with frameworks, not for applications. */
module io.outbox.wiring {
  requires transitive io.outbox.core;
  requires transitive io.outbox.jdbc;

  exports io.outbox.wiring;
  exports io.outbox.wiring.listener;
}
