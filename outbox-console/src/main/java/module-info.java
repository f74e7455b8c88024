/** A web page to see and steer an outbox. */
module io.outbox.console {
  requires transitive io.outbox.core;
  requires static transitive jakarta.servlet;
  requires com.google.gson;
  requires jdk.httpserver;

  exports io.outbox.console;
}
