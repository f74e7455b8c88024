package io.outbox.console;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.model.EventStatus;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Clients that send or read nothing hold no thread for long. */
class SlowClientsTest {

  private static final int MORE_THAN_THREADS = OutboxConsole.REQUEST_THREADS + 4;

  private final FakeOutbox fake = new FakeOutbox();
  private final List<Socket> slow = new ArrayList<>();
  private final OutboxConsole console =
      OutboxConsole.builder()
          .operator("orders", fake.operator())
          .port(0)
          .patience(Duration.ofSeconds(2)) // longer than a busy machine stands still
          .build()
          .start();
  private final TestClient client = new TestClient(console);

  @AfterEach
  void stop() throws IOException {
    for (Socket socket : slow) {
      socket.close();
    }
    console.close();
  }

  private void sendToAllThreads(String beginning) throws IOException {
    for (int i = 0; i < MORE_THAN_THREADS; i++) {
      Socket socket = new Socket();
      slow.add(socket);
      socket.setReceiveBufferSize(4096);
      socket.connect(new InetSocketAddress("localhost", console.url().getPort()));
      socket.getOutputStream().write(beginning.getBytes(StandardCharsets.US_ASCII));
      socket.getOutputStream().flush();
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "GET / HT",
        "POST /api/outboxes/orders/actions HTTP/1.1\r\nHost: localhost\r\nX-Outbox-Console: 1\r\n"
            + "Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{",
      })
  void whoSendsHalfARequestIsNotWaitedFor(String half) throws IOException {
    sendToAllThreads(half);

    assertThat(client.get("/api/session").status()).isEqualTo(200);
  }

  @Test
  void whoDoesNotReadTheAnswerIsNotWaitedFor() throws IOException {
    String large = "\"" + "x".repeat(8 * 1024 * 1024) + "\"";
    fake.add(fake.row("large", "OrderPlaced", EventStatus.NEW).payloadJson(large));
    sendToAllThreads(
        "GET /api/outboxes/orders/payload?id=large HTTP/1.1\r\nHost: localhost\r\n\r\n");

    assertThat(client.get("/api/session").status()).isEqualTo(200);
  }

  @Test
  void whoReadsGetsAllOfALargeAnswer() {
    String large = "\"" + "x".repeat(2 * 1024 * 1024) + "\"";
    fake.add(fake.row("large", "OrderPlaced", EventStatus.NEW).payloadJson(large));

    assertThat(client.get("/api/outboxes/orders/payload?id=large").body()).isEqualTo(large);
  }
}
