package io.outbox.samples.subscriptions;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.EventListener;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;

/** Posts events to a partner, here a server in this JVM, which is gone at first. */
final class Webhook implements EventListener, AutoCloseable {

  private static final int OK = 200;
  private static final int GONE = 410;

  private final HttpServer partner;
  private final HttpClient client = HttpClient.newHttpClient();
  private final Set<String> received = ConcurrentHashMap.newKeySet();
  private final AtomicBoolean isThere = new AtomicBoolean();

  Webhook() throws IOException {
    partner = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    partner.createContext("/orders", this::receive);
    partner.start();
  }

  private void receive(HttpExchange exchange) throws IOException {
    exchange.getRequestBody().readAllBytes();
    if (isThere.get()) {
      received.add(exchange.getRequestHeaders().getFirst("Event-Id"));
    }
    exchange.sendResponseHeaders(isThere.get() ? OK : GONE, -1);
    exchange.close();
  }

  @Override
  public DispatchResult onEvent(EventEnvelope event) throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(
                URI.create("http://127.0.0.1:" + partner.getAddress().getPort() + "/orders"))
            .timeout(Duration.ofSeconds(10))
            .header("Event-Id", event.eventId())
            .POST(HttpRequest.BodyPublishers.ofString(event.payloadJson()))
            .build();
    int status = client.send(request, HttpResponse.BodyHandlers.discarding()).statusCode();
    return status == OK ? DispatchResult.done() : DispatchResult.dead("the partner says " + status);
  }

  /** The partner is there from now on. */
  void appear() {
    isThere.set(true);
  }

  int received() {
    return received.size();
  }

  @Override
  public void close() {
    partner.stop(0);
  }
}
