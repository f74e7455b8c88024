package io.outbox.relay;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;

/** Takes whatever is posted. */
final class HttpReceiver implements AutoCloseable {

  record Posted(String path, Map<String, List<String>> headers, String body) {}

  private final HttpServer server;
  private final List<Posted> posted = new CopyOnWriteArrayList<>();

  HttpReceiver() throws IOException {
    server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
    server.createContext("/", this::take);
    server.start();
  }

  private void take(HttpExchange exchange) throws IOException {
    try (exchange) {
      String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
      posted.add(
          new Posted(
              exchange.getRequestURI().getPath(), Map.copyOf(exchange.getRequestHeaders()), body));
      exchange.sendResponseHeaders(204, -1);
    }
  }

  String address() {
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  List<Posted> posted() {
    return posted;
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
