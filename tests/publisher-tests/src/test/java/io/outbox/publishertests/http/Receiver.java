package io.outbox.publishertests.http;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.outbox.testbrokers.ReceivedMessage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** An HTTP server that keeps what is posted, and answers as it is told. */
final class Receiver implements AutoCloseable {

  static {
    System.setProperty("sun.net.httpserver.nodelay", "true");
  }

  /** How a request is answered. */
  record Answer(int status, Map<String, String> headers, String body) {
    static Answer of(int status) {
      return new Answer(status, Map.of(), "");
    }
  }

  /** Decides about an answer. */
  interface Script {
    Answer answer(ReceivedMessage message) throws Exception;
  }

  private final HttpServer server;
  private final ExecutorService executor = Executors.newFixedThreadPool(8);
  private final LinkedBlockingQueue<ReceivedMessage> accepted = new LinkedBlockingQueue<>();
  private volatile Script script;
  private volatile String lastPath;

  Receiver(Script script) throws IOException {
    this.script = script;
    this.server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 500);
    server.setExecutor(executor);
    server.createContext("/", this::handle);
    server.start();
  }

  void answer(Script value) {
    script = value;
  }

  int port() {
    return server.getAddress().getPort();
  }

  URI uri(String path) {
    return URI.create("http://127.0.0.1:" + port() + path);
  }

  String lastPath() {
    return lastPath;
  }

  /** What was answered with 2xx, in this order. */
  List<ReceivedMessage> receive() throws InterruptedException {
    List<ReceivedMessage> messages = new ArrayList<>();
    ReceivedMessage first = accepted.poll(200, TimeUnit.MILLISECONDS);
    if (first != null) {
      messages.add(first);
      accepted.drainTo(messages);
    }
    return messages;
  }

  private void handle(HttpExchange exchange) throws IOException {
    try (exchange) {
      lastPath = exchange.getRequestURI().getRawPath();
      ReceivedMessage message =
          new ReceivedMessage(null, headers(exchange), exchange.getRequestBody().readAllBytes());
      Answer answer = script.answer(message);
      if (answer.status() / 100 == 2) {
        accepted.add(message);
      }
      answer.headers().forEach(exchange.getResponseHeaders()::set);
      byte[] body = answer.body().getBytes(StandardCharsets.UTF_8);
      exchange.sendResponseHeaders(answer.status(), body.length == 0 ? -1 : body.length);
      exchange.getResponseBody().write(body);
    } catch (IOException e) {
      throw e;
    } catch (Exception e) {
      throw new IOException(e);
    }
  }

  private static Map<String, String> headers(HttpExchange exchange) {
    Map<String, String> headers = new LinkedHashMap<>();
    exchange
        .getRequestHeaders()
        .forEach((name, values) -> headers.put(name.toLowerCase(Locale.ROOT), decoded(values)));
    return headers;
  }

  private static String decoded(List<String> values) {
    byte[] bytes = values.get(0).getBytes(StandardCharsets.ISO_8859_1);
    ByteArrayOutputStream decoded = new ByteArrayOutputStream();
    for (int i = 0; i < bytes.length; i++) {
      if (bytes[i] == '%') {
        decoded.write(Integer.parseInt(new String(bytes, i + 1, 2, StandardCharsets.US_ASCII), 16));
        i += 2;
      } else {
        decoded.write(bytes[i]);
      }
    }
    return decoded.toString(StandardCharsets.UTF_8);
  }

  @Override
  public void close() {
    server.stop(0);
    executor.shutdownNow();
  }
}
