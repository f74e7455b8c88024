package io.outbox.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeout;

import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Who sends half a request does not keep others from the health of a relay. */
class SlowClientsTest {

  private static final int MANY = 1_000;

  @TempDir Path directory;

  @Test
  void halfRequestsDoNotHideTheHealth() throws IOException {
    Path config =
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
                .formatted(directory.resolve("shop")));
    List<Socket> slow = new ArrayList<>();
    try (RelayProcess relay = RelayProcess.start(config)) {
      Monitor monitor = relay.monitor();
      URI address = URI.create(monitor.address());
      for (int i = 0; i < MANY; i++) {
        Socket socket = new Socket(address.getHost(), address.getPort());
        slow.add(socket);
        socket.getOutputStream().write("GET /hea".getBytes(StandardCharsets.US_ASCII));
        socket.getOutputStream().flush();
      }

      for (String path : new String[] {"/health/live", "/health", "/metrics"}) {
        assertTimeout(
            Duration.ofSeconds(60),
            () -> assertThat(monitor.get(path).statusCode()).isEqualTo(200));
      }
    } finally {
      for (Socket socket : slow) {
        socket.close();
      }
    }
  }
}
