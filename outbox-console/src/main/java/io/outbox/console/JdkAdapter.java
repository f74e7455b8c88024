package io.outbox.console;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import io.outbox.console.internal.api.ConsoleApplication;
import io.outbox.console.internal.http.JsonBody;
import io.outbox.console.internal.http.Request;
import io.outbox.console.internal.http.Response;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;

/** The console on the JDK's HTTP server. */
final class JdkAdapter implements HttpHandler {

  private static final int CHUNK = 64 * 1024;

  private final ConsoleApplication application;
  private final Streams streams;
  private final SlowClients slowClients;

  JdkAdapter(ConsoleApplication application, Streams streams, SlowClients slowClients) {
    this.application = application;
    this.streams = streams;
    this.slowClients = slowClients;
  }

  /** Runs what the server wants to run, which begins with reading a request. */
  void run(Runnable task) {
    slowClients.waiting();
    try {
      task.run();
    } finally {
      slowClients.goesOn();
    }
  }

  @Override
  public void handle(HttpExchange exchange) throws IOException {
    slowClients.goesOn();
    Response response = application.answer(new Asked(exchange, slowClients));
    slowClients.waiting();
    response.headers().forEach(exchange.getResponseHeaders()::set);
    if (response instanceof Response.Live live) {
      stream(exchange, live);
    } else if (response instanceof Response.Whole whole) {
      try (exchange) {
        boolean empty = whole.body().length == 0;
        exchange.sendResponseHeaders(whole.status(), empty ? -1 : whole.body().length);
        if (!empty) {
          write(whole.body(), exchange.getResponseBody());
        }
      }
    }
  }

  /** Who reads slowly has time for each piece. */
  private void write(byte[] body, OutputStream out) throws IOException {
    for (int from = 0; from < body.length; from += CHUNK) {
      slowClients.waiting();
      out.write(body, from, Math.min(CHUNK, body.length - from));
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

  private record Asked(HttpExchange exchange, SlowClients slowClients) implements Request {

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
    public InputStream body() throws IOException {
      slowClients.waiting();
      try {
        return new ByteArrayInputStream(
            exchange.getRequestBody().readNBytes(JsonBody.MAX_BYTES + 1));
      } finally {
        slowClients.goesOn();
      }
    }
  }
}
