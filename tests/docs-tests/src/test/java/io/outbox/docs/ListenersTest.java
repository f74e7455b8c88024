package io.outbox.docs;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.outbox.BoundEventListener;
import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.EventListener;
import io.outbox.Outbox;
import io.outbox.OutboxWriter;
import io.outbox.RetryAfterException;
import io.outbox.UnrecoverableException;
import io.outbox.dispatch.EventInterceptor;
import io.outbox.dispatch.ExponentialBackoffRetryPolicy;
import io.outbox.model.EventStatus;
import io.outbox.policy.ListenerPolicy;
import io.outbox.registry.DefaultListenerRegistry;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Listeners, what they return, and how they are found. */
class ListenersTest extends DocsDatabase {

  record Answer(int status, Duration retryAfter) {}

  private final Queue<Answer> answers = new ArrayDeque<>();

  private synchronized Answer post(EventEnvelope event) throws IOException {
    Answer answer = answers.poll();
    if (answer == null) {
      throw new IOException("no answer to " + event.eventType());
    }
    return answer;
  }

  // snippet: results
  class PaymentListener implements EventListener {
    @Override
    public DispatchResult onEvent(EventEnvelope event) throws Exception {
      Answer answer = post(event); // an IOException: tried again with growing delays
      return switch (answer.status()) {
        case 200 -> DispatchResult.done();
        case 202 -> DispatchResult.retryAfter(Duration.ofMillis(50)); // not a failure, not yet
        case 429 -> throw new RetryAfterException(answer.retryAfter(), "too many requests");
        case 422 -> DispatchResult.dead("refused as invalid");
        default -> throw new UnrecoverableException("unexpected status " + answer.status());
      };
    }
  }

  // end

  @Test
  void aListenerSaysWhatBecomesOfItsEvent() throws Exception {
    answers.add(new Answer(202, null));
    answers.add(new Answer(429, Duration.ofMillis(20)));
    answers.add(new Answer(200, null));
    listeners.register("PaymentDue", new PaymentListener());
    try (Outbox outbox = singleNode().build()) {
      transactions.run(tx -> outbox.writer().write("PaymentDue", "{}"));
      awaitEvents(EventStatus.DONE, 1);
      answers.add(new Answer(422, null));
      transactions.run(tx -> outbox.writer().write("PaymentDue", "{}"));
      awaitEvents(EventStatus.DEAD, 1);
      answers.add(new Answer(500, null));
      transactions.run(tx -> outbox.writer().write("PaymentDue", "{}"));
      awaitEvents(EventStatus.DEAD, 2);
    }
    assertThat(count("outbox_event WHERE status = 1 AND attempts = 1")).isOne();
    assertThat(count("outbox_event WHERE last_error = 'refused as invalid'")).isOne();
    assertThat(count("outbox_event WHERE last_error LIKE '%unexpected status 500'")).isOne();
  }

  // snippet: registry
  class OrderShippedListener extends BoundEventListener {
    OrderShippedListener() {
      super("Order", "OrderShipped"); // aggregate type, event type
    }

    @Override
    public DispatchResult onEvent(EventEnvelope event) {
      return DispatchResult.done();
    }
  }

  // end

  @Test
  void aRegistryFindsOneListenerForEachEvent() {
    EventListener invoices = event -> DispatchResult.done();
    EventListener audit = event -> DispatchResult.done();
    EventListener broker = event -> DispatchResult.done();

    // snippet: registry
    DefaultListenerRegistry registry =
        new DefaultListenerRegistry()
            .register("CustomerGreeted", invoices) // events without an aggregate type
            .register("Order", "OrderPlaced", invoices)
            .register(new OrderShippedListener())
            .registerDefault("Order", audit) // every other event of an order
            .registerDefault(broker); // everything else
    // end

    assertThat(registry.listenerFor("__GLOBAL__", "CustomerGreeted")).isSameAs(invoices);
    assertThat(registry.listenerFor("Order", "OrderPlaced")).isSameAs(invoices);
    assertThat(registry.listenerFor("Order", "OrderShipped"))
        .isInstanceOf(OrderShippedListener.class);
    assertThat(registry.listenerFor("Order", "OrderLost")).isSameAs(audit);
    assertThat(registry.listenerFor("Customer", "CustomerGreeted")).isSameAs(broker);
  }

  @Test
  void listenersCanBeRegisteredAfterTheOutboxWasBuilt() throws Exception {
    // snippet: auto-start
    Outbox outbox = singleNode().autoStart(false).build();
    listeners.register("OrderPlaced", listener);
    outbox.start();
    // end

    try (outbox) {
      transactions.run(tx -> outbox.writer().write("OrderPlaced", "{}"));
      awaitEvents(EventStatus.DONE, 1);
    }
  }

  @Test
  void interceptorsSeeEveryEvent() throws Exception {
    List<String> lines = Collections.synchronizedList(new ArrayList<>());
    listeners.register("OrderPlaced", listener);

    // snippet: interceptor
    Outbox outbox =
        singleNode()
            .interceptor(EventInterceptor.before(event -> lines.add("-> " + event.eventType())))
            .interceptor(
                EventInterceptor.after(
                    (event, error) ->
                        lines.add("<- " + event.eventType() + (error == null ? "" : " " + error))))
            .build();
    // end

    try (outbox) {
      transactions.run(tx -> outbox.writer().write("OrderPlaced", "{}"));
      awaitEvents(EventStatus.DONE, 1);
    }
    assertThat(lines).containsExactly("-> OrderPlaced", "<- OrderPlaced");
  }

  @Test
  void retriesCanBeTuned() throws Exception {
    listeners.register("OrderPlaced", listener.failNext(2));

    // snippet: retries
    Outbox outbox =
        singleNode()
            .maxAttempts(3) // calls of the listener, the first included
            .retryPolicy(new ExponentialBackoffRetryPolicy(100, 5_000)) // milliseconds
            .build();
    // end

    try (outbox) {
      transactions.run(tx -> outbox.writer().write("OrderPlaced", "{}"));
      awaitEvents(EventStatus.DONE, 1);
      listener.failNext(3);
      transactions.run(tx -> outbox.writer().write("OrderPlaced", "{}"));
      awaitEvents(EventStatus.DEAD, 1);
    }
    assertThat(listener.count()).isEqualTo(6);
  }

  @Test
  void aListenerHasItsOwnPolicy() throws Exception {
    List<String> refunds = Collections.synchronizedList(new ArrayList<>());
    EventListener carrier =
        event -> {
          throw new IllegalArgumentException("unknown address");
        };
    // snippet: policy
    ListenerPolicy policy =
        ListenerPolicy.builder()
            .maxAttempts(5)
            .maxAge(Duration.ofHours(12))
            .retryPolicy(failures -> 1_000L * failures) // milliseconds
            .retryNever(IllegalArgumentException.class) // DEAD at once
            .retryAlways(IOException.class) // until maxAge
            .timeout(Duration.ofSeconds(30))
            .concurrency(2) // calls at a time, on one node
            .rateLimit(100, Duration.ofMinutes(1)) // starts of calls, on one node
            .fallback((event, reason) -> refunds.add(event.aggregateId()))
            .build();
    listeners.register("Order", "ShipmentWanted", policy.around(carrier));
    // end

    try (Outbox outbox = singleNode().build()) {
      EventEnvelope event =
          EventEnvelope.builder("ShipmentWanted")
              .aggregateType("Order")
              .aggregateId("A-17")
              .payloadJson("{}")
              .build();
      transactions.run(tx -> outbox.writer().write(event));
      awaitEvents(EventStatus.DEAD, 1);
    }
    assertThat(refunds).containsExactly("A-17");
  }

  @Test
  void aListenerCanWriteEvents() throws Exception {
    try (Outbox outbox = singleNode().build()) {
      OutboxWriter writer = outbox.writer();

      // snippet: chain
      listeners.register(
          "OrderPlaced",
          event -> {
            transactions.run(tx -> writer.write("InvoiceWanted", event.payloadJson()));
            return DispatchResult.done();
          });
      // end

      listeners.register("InvoiceWanted", listener);
      transactions.run(tx -> writer.write("OrderPlaced", "{\"orderId\": \"A-17\"}"));
      awaitEvents(EventStatus.DONE, 2);
    }
    assertThat(listener.deliveries().get(0).event().payloadJson())
        .isEqualTo("{\"orderId\": \"A-17\"}");
  }

  @Test
  void answersComeLater() throws Exception {
    HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
    AtomicInteger requests = new AtomicInteger();
    server.createContext(
        "/",
        exchange -> {
          exchange.sendResponseHeaders(requests.incrementAndGet() == 1 ? 500 : 204, -1);
          exchange.close();
        });
    server.start();
    URI uri = URI.create("http://127.0.0.1:" + server.getAddress().getPort());
    // snippet: async
    HttpClient client = HttpClient.newHttpClient();
    listeners.registerAsync(
        "OrderPlaced",
        event -> {
          var request =
              HttpRequest.newBuilder(uri)
                  .POST(HttpRequest.BodyPublishers.ofString(event.payloadJson()))
                  .build();
          return client
              .sendAsync(request, HttpResponse.BodyHandlers.discarding())
              .thenApply(
                  response -> {
                    if (response.statusCode() >= 500) {
                      throw new IllegalStateException("status " + response.statusCode()); // again
                    }
                    return DispatchResult.done();
                  });
        });

    Outbox outbox = singleNode().maxInFlight(64).listenerTimeout(Duration.ofSeconds(10)).build();
    // end
    try (outbox) {
      transactions.run(tx -> outbox.writer().write("OrderPlaced", "{}"));
      awaitEvents(EventStatus.DONE, 1);
      assertThat(requests).hasValue(2);
    } finally {
      server.stop(0);
    }
  }
}
