package io.outbox.relay;

import com.google.gson.JsonObject;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.outbox.util.DaemonThreadFactory;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** Health and metrics on HTTP, for whoever looks after the relay. */
final class MonitoringServer implements AutoCloseable {

  private static final Logger LOG = System.getLogger(MonitoringServer.class.getName());

  /** Those who ask for the health may all wait for a database; others must get through. */
  private static final int THREADS = 16;

  private static final int WAITING = 64;
  private static final String TEXT = "text/plain; version=0.0.4; charset=utf-8";
  private static final String JSON = "application/json";

  private record Answer(int status, String type, String body) {}

  private final HttpServer server;
  private final ExecutorService executor;
  private final HealthCheck health;
  private final PrometheusMeterRegistry meters;

  private MonitoringServer(HttpServer server, HealthCheck health, PrometheusMeterRegistry meters) {
    this.server = server;
    this.health = health;
    this.meters = meters;
    ThreadPoolExecutor threads =
        new ThreadPoolExecutor(
            THREADS,
            THREADS,
            10,
            TimeUnit.SECONDS,
            new ArrayBlockingQueue<>(WAITING),
            new DaemonThreadFactory("relay-http-"));
    threads.allowCoreThreadTimeOut(true);
    this.executor = threads;
  }

  /**
   * The JDK's server waits for ever for the rest of a request, and for a reader of its answer. It
   * reads these settings once in a process: to be called before there is any server.
   */
  static void limitSlowClients() {
    limit("sun.net.httpserver.maxReqTime", 10);
    limit("sun.net.httpserver.maxRspTime", 120);
  }

  private static void limit(String property, int seconds) {
    if (System.getProperty(property) == null) {
      System.setProperty(property, Integer.toString(seconds));
    }
  }

  static MonitoringServer start(
      HttpConfig config, HealthCheck health, PrometheusMeterRegistry meters)
      throws RelayStartException {
    try {
      InetSocketAddress address = new InetSocketAddress(config.host(), config.port());
      MonitoringServer monitoring =
          new MonitoringServer(HttpServer.create(address, 0), health, meters);
      monitoring.server.setExecutor(monitoring.executor);
      monitoring.server.createContext("/", monitoring::handle);
      monitoring.server.start();
      return monitoring;
    } catch (IOException | RuntimeException e) {
      throw new RelayStartException(
          "health and metrics cannot be served at %s:%d: %s. Set http.port to another one, or 0"
                  .formatted(config.host(), config.port(), Failures.reason(e))
              + " for any that is free, or http.enabled: false.");
    }
  }

  String address() {
    InetSocketAddress address = server.getAddress();
    return "http://" + address.getHostString() + ":" + address.getPort();
  }

  private void handle(HttpExchange exchange) {
    try (exchange) {
      boolean head = exchange.getRequestMethod().equals("HEAD");
      Answer answer =
          head || exchange.getRequestMethod().equals("GET")
              ? answer(exchange.getRequestURI().getPath())
              : new Answer(405, TEXT, "only GET and HEAD\n");
      byte[] body = answer.body().getBytes(StandardCharsets.UTF_8);
      exchange.getResponseHeaders().set("Content-Type", answer.type());
      exchange.getResponseHeaders().set("Cache-Control", "no-store");
      exchange.getResponseHeaders().set("X-Content-Type-Options", "nosniff");
      exchange.sendResponseHeaders(answer.status(), head ? -1 : body.length);
      if (!head) {
        exchange.getResponseBody().write(body);
      }
    } catch (IOException | RuntimeException e) {
      LOG.log(Level.DEBUG, "an answer to an HTTP request could not be given", e);
    }
  }

  private Answer answer(String path) {
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
      case "/metrics" -> new Answer(200, TEXT, meters.scrape());
      default ->
          new Answer(404, TEXT, "there are /health, /health/live, /health/ready, /metrics\n");
    };
  }

  private static Answer json(boolean well, JsonObject details) {
    return new Answer(well ? 200 : 503, JSON, details + "\n");
  }

  @Override
  public void close() {
    server.stop(0);
    executor.shutdownNow();
  }
}
