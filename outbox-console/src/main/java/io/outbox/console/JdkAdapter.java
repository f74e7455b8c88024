package io.outbox.console;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import io.outbox.console.internal.api.ConsoleApplication;
import io.outbox.console.internal.http.Request;
import io.outbox.console.internal.http.Response;
import java.io.IOException;
import java.io.InputStream;

/** The console on the JDK's HTTP server. */
final class JdkAdapter implements HttpHandler {

  private final ConsoleApplication application;
  private final Streams streams;

  JdkAdapter(ConsoleApplication application, Streams streams) {
    this.application = application;
    this.streams = streams;
  }

  @Override
  public void handle(HttpExchange exchange) throws IOException {
    Response response = application.answer(new Asked(exchange));
    response.headers().forEach(exchange.getResponseHeaders()::set);
    if (response instanceof Response.Live live) {
      stream(exchange, live);
    } else if (response instanceof Response.Whole whole) {
      try (exchange) {
        boolean empty = whole.body().length == 0;
        exchange.sendResponseHeaders(whole.status(), empty ? -1 : whole.body().length);
        if (!empty) {
          exchange.getResponseBody().write(whole.body());
        }
      }
    }
  }

  private void stream(HttpExchange exchange, Response.Live live) throws IOException {
    try {
      exchange.sendResponseHeaders(live.status(), 0);
    } catch (IOException e) {
      live.body().close();
      exchange.close();
      throw e;
    }
    streams.write(live.body(), exchange.getResponseBody(), exchange::close);
  }

  private record Asked(HttpExchange exchange) implements Request {

    @Override
    public String method() {
      return exchange.getRequestMethod();
    }

    @Override
    public String path() {
      String path = exchange.getRequestURI().getPath();
      return path == null ? "" : path;
    }

    @Override
    public String rawQuery() {
      return exchange.getRequestURI().getRawQuery();
    }

    @Override
    public String header(String name) {
      return exchange.getRequestHeaders().getFirst(name);
    }

    @Override
    public String remoteAddress() {
      return exchange.getRemoteAddress().getAddress().getHostAddress();
    }

    @Override
    public InputStream body() {
      return exchange.getRequestBody();
    }
  }
}
