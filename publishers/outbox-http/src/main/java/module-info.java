/** Publishes events by HTTP. */
module io.outbox.http {
  requires transitive io.outbox.core;
  requires transitive java.net.http;

  exports io.outbox.http;
}
