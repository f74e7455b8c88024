/** A web page to see and steer an outbox. */
@SuppressWarnings("module") // the relay is built later
module io.outbox.console {
  requires transitive io.outbox.core;
  requires transitive io.outbox.jdbc;
  requires static transitive jakarta.servlet;
  requires com.google.gson;
  requires org.eclipse.jetty.server;

  exports io.outbox.console;
  exports io.outbox.console.internal.http to
      io.outbox.relay;
  exports io.outbox.console.internal.server to
      io.outbox.relay;
}
