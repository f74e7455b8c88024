package io.outbox.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeout;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Who sends half a request, or reads no answer, does not keep others from the health of a relay.
 */
class SlowClientsTest {

  private static final int MANY = 1_000;
  private static final int READERS = 200;
  private static final String METRICS = "GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n";

  @TempDir Path directory;

  private RelayProcess start() throws IOException {
    return RelayProcess.start(
        RelayFile.write(
            directory,
            """
            http: {port: 0}
            databases:
              shop: {url: "jdbc:h2:%s"}
            brokers:
              web: {type: http}
            tables:
              orders: {database: shop, schema: {initialize: always}}
            default: {broker: web, destination: "http://127.0.0.1:9/"}
            """
                .formatted(directory.resolve("shop"))));
  }

  private static void isAnswered(Monitor monitor) {
    for (String path : new String[] {"/health/live", "/health", "/metrics"}) {
      assertTimeout(
          Duration.ofSeconds(60), () -> assertThat(monitor.get(path).statusCode()).isEqualTo(200));
    }
  }

  /** More answers than fit between the relay and a client that does not read. */
  @Test
  void unreadAnswersDoNotHideTheHealth() throws IOException {
    List<Socket> slow = new ArrayList<>();
    try (RelayProcess relay = start()) {
      Monitor monitor = relay.monitor();
      URI address = URI.create(monitor.address());
      for (int i = 0; i < READERS; i++) {
        Socket socket = new Socket();
        slow.add(socket);
        socket.setReceiveBufferSize(1024);
        socket.connect(new InetSocketAddress(address.getHost(), address.getPort()));
        socket.getOutputStream().write(METRICS.repeat(20).getBytes(StandardCharsets.US_ASCII));
      }

      isAnswered(monitor);
    } finally {
      for (Socket socket : slow) {
        socket.close();
      }
    }
  }

  @Test
  void halfRequestsDoNotHideTheHealth() throws IOException {
    List<Socket> slow = new ArrayList<>();
    try (RelayProcess relay = start()) {
      Monitor monitor = relay.monitor();
      URI address = URI.create(monitor.address());
      for (int i = 0; i < MANY; i++) {
        Socket socket = new Socket(address.getHost(), address.getPort());
        slow.add(socket);
        socket.getOutputStream().write("GET /hea".getBytes(StandardCharsets.US_ASCII));
        socket.getOutputStream().flush();
      }

      isAnswered(monitor);
    } finally {
      for (Socket socket : slow) {
        socket.close();
      }
    }
  }
}
