package io.outbox.quarkus.deployment;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.quarkus.deployment.restart.RestartedShop;
import io.outbox.testing.Await;
import io.quarkus.builder.Version;
import io.quarkus.maven.dependency.Dependency;
import io.quarkus.test.QuarkusProdModeTest;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A packaged application in a process of its own, on PostgreSQL. */
class RestartTest {

  private static final int EVENTS = 200;
  private static final Duration SOON = Duration.ofSeconds(120);
  private static final String DATABASE = "restart";
  private static final int PORT = freePort();

  @Order(1)
  @RegisterExtension
  static final BeforeAllCallback EMPTIED = Postgres.emptied(DATABASE);

  @Order(2)
  @RegisterExtension
  static final QuarkusProdModeTest APPLICATION =
      new QuarkusProdModeTest()
          .withApplicationRoot(jar -> jar.addClass(RestartedShop.class))
          .setForcedDependencies(
              List.of(quarkus("quarkus-jdbc-postgresql"), quarkus("quarkus-rest")))
          .overrideConfigKey("quarkus.datasource.db-kind", "postgresql")
          .overrideConfigKey("quarkus.devservices.enabled", "false")
          .setApplicationName("restarted")
          .setApplicationVersion("1")
          .setRuntimeProperties(settings())
          .setRun(true);

  private static Dependency quarkus(String extension) {
    return Dependency.of("io.quarkus", extension, Version.getVersion());
  }

  private static Map<String, String> settings() {
    Map<String, String> settings = Postgres.settings(DATABASE);
    settings.values().removeIf(String::isEmpty);
    settings.put("quarkus.http.port", Integer.toString(PORT));
    settings.put("quarkus.http.host", "127.0.0.1");
    settings.put("quarkus.outbox.dispatcher.drain-timeout-ms", "0");
    settings.put("quarkus.outbox.poller.interval-ms", "200");
    return settings;
  }

  private static int freePort() {
    try (ServerSocket socket = new ServerSocket(0)) {
      return socket.getLocalPort();
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  private static int post(String path) throws IOException, InterruptedException {
    URI uri = URI.create("http://127.0.0.1:" + PORT + "/shop/" + path);
    return HttpClient.newHttpClient()
        .send(
            HttpRequest.newBuilder(uri).POST(BodyPublishers.noBody()).build(),
            BodyHandlers.discarding())
        .statusCode();
  }

  private static long count(String what) {
    try (Connection connection = Postgres.connect(DATABASE);
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SELECT count(" + what)) {
      row.next();
      return row.getLong(1);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private static long delivered() {
    return count("DISTINCT id) FROM delivered");
  }

  private static void awaitDeliveries(long expected) {
    Await.until(
        () -> expected + " deliveries, so far " + delivered(), SOON, () -> delivered() >= expected);
  }

  private static void execute(String sql) throws SQLException {
    Postgres.execute(DATABASE, sql);
  }

  @Test
  void R1_eventsOutliveACrashAndARestart() throws Exception {
    execute("CREATE TABLE delivered (id VARCHAR(36))");
    execute("CREATE TABLE gate AS SELECT 20 AS allowed");
    assertThat(post("orders/" + EVENTS)).isEqualTo(200);
    awaitDeliveries(20);
    try {
      post("halt");
    } catch (IOException expected) {
      assertThat(expected).isNotNull();
    }
    APPLICATION.stop();

    execute("UPDATE gate SET allowed = 100");
    APPLICATION.start();
    // of the 100 places, what the crash forgot takes up to one per delivery before it
    awaitDeliveries(60);
    APPLICATION.stop(); // gently, while listeners wait
    assertThat(delivered()).isLessThan(EVENTS);

    execute("UPDATE gate SET allowed = 1000");
    APPLICATION.start();
    awaitDeliveries(EVENTS);
    Await.until(
        "all events done", SOON, () -> count("*) FROM outbox_event WHERE status = 1") == EVENTS);
    assertThat(delivered()).isEqualTo(EVENTS);
  }
}
