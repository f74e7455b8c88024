/** Writes events in reactive transactions. */
module io.outbox.r2dbc {
  requires transitive io.outbox.jdbc;
  requires transitive r2dbc.spi;
  requires transitive reactor.core;
  requires org.reactivestreams;
  requires static spring.r2dbc;
  requires static spring.tx;

  exports io.outbox.r2dbc;
}
