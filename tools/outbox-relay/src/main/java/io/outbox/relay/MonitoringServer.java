package io.outbox.relay;

import com.google.gson.JsonObject;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.outbox.console.internal.http.Request;
import io.outbox.console.internal.http.Response;
import io.outbox.console.internal.server.NonBlockingServer;
import io.outbox.console.internal.server.Streams;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;

/** Health and metrics on HTTP; slow clients cost no thread. */
final class MonitoringServer implements AutoCloseable {

  /** How long a client may take to send a request. */
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private static final String TEXT = "text/plain; version=0.0.4; charset=utf-8";
  private static final String JSON = "application/json";

  private final HealthCheck health;
  private final PrometheusMeterRegistry meters;
  private final Streams streams = new Streams(1);
  private String host;
  private NonBlockingServer server;

  private MonitoringServer(HealthCheck health, PrometheusMeterRegistry meters) {
    this.health = health;
    this.meters = meters;
  }

  static MonitoringServer start(
      HttpConfig config, HealthCheck health, PrometheusMeterRegistry meters)
      throws RelayStartException {
    MonitoringServer monitoring = new MonitoringServer(health, meters);
    try {
      monitoring.listen(new InetSocketAddress(config.host(), config.port()));
      return monitoring;
    } catch (IOException | RuntimeException e) {
      throw new RelayStartException(
          "health and metrics cannot be served at %s:%s: %s. Set http.port to another one, or 0"
                  .formatted(config.host(), config.port(), Failures.reason(e))
              + " for any that is free, or http.enabled: false.");
    }
  }

  private void listen(InetSocketAddress address) throws IOException {
    host = address.getHostString();
    server = NonBlockingServer.start("relay", address, PATIENCE, this::answer, streams);
  }

  String address() {
    return "http://" + host + ":" + server.port();
  }

  private Response answer(Request request) {
    boolean head = request.method().equals("HEAD");
    Response.Whole answer =
        head || request.method().equals("GET")
            ? answer(request.path())
            : whole(405, TEXT, "only GET and HEAD\n");
    return head ? answer.withoutBody() : answer;
  }

  private Response.Whole answer(String path) {
    return switch (path) {
      case "/health", "/health/ready" -> {
        HealthCheck.Result result = health.check();
        yield json(result.ready(), result.details());
      }
      case "/health/live" -> {
        boolean live = health.isLive();
        JsonObject details = new JsonObject();
        details.addProperty("status", live ? "UP" : "DOWN");
        yield json(live, details);
      }
      case "/metrics" -> whole(200, TEXT, meters.scrape());
      default -> whole(404, TEXT, "there are /health, /health/live, /health/ready, /metrics\n");
    };
  }

  private static Response.Whole json(boolean well, JsonObject details) {
    return whole(well ? 200 : 503, JSON, details + "\n");
  }

  private static Response.Whole whole(int status, String type, String body) {
    return new Response.Whole(
        status,
        Map.of(
            "Content-Type", type, "Cache-Control", "no-store", "X-Content-Type-Options", "nosniff"),
        body.getBytes(StandardCharsets.UTF_8));
  }

  @Override
  public void close() {
    server.close();
    streams.close();
  }
}
