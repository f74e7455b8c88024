package io.outbox.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertTimeout;

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

/** Clients that send or read nothing cost no thread, however many they are. */
class SlowClientsTest {

  private static final int MANY = 1_000;

  /** Each asks for 8 MiB, more than the buffers between us hold. */
  private static final int MANY_READERS = 1_000;

  private static final Duration AT_ONCE = Duration.ofSeconds(60);

  private final FakeOutbox fake = new FakeOutbox();
  private final List<Socket> slow = new ArrayList<>();
  private final OutboxConsole console =
      OutboxConsole.builder()
          .operator("orders", fake.operator())
          .port(0)
          .patience(Duration.ofMinutes(5)) // nobody is closed while we look
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

  private void sendFrom(int clients, String beginning) throws IOException {
    for (int i = 0; i < clients; i++) {
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
    sendFrom(MANY, half);

    assertAnsweredAtOnce();
  }

  private void assertAnsweredAtOnce() {
    assertTimeout(AT_ONCE, () -> assertThat(client.get("/api/session").status()).isEqualTo(200));
  }

  @Test
  void whoTakesTooLongToSendARequestIsClosed() throws IOException {
    try (OutboxConsole impatient =
            OutboxConsole.builder()
                .operator("orders", fake.operator())
                .port(0)
                .patience(Duration.ofMillis(200))
                .build()
                .start();
        Socket drops = new Socket("localhost", impatient.url().getPort())) {
      drops.setSoTimeout(60_000);
      // always something, but never a request
      drops.getOutputStream().write("GET / HT".getBytes(StandardCharsets.US_ASCII));

      assertThat(drops.getInputStream().read()).isEqualTo(-1);
    }
  }

  @Test
  void whoDoesNotReadTheAnswerIsNotWaitedFor() throws IOException {
    String large = "\"" + "x".repeat(8 * 1024 * 1024) + "\"";
    fake.add(fake.row("large", "OrderPlaced", EventStatus.NEW).payloadJson(large));
    sendFrom(
        MANY_READERS,
        "GET /api/outboxes/orders/payload?id=large HTTP/1.1\r\nHost: localhost\r\n\r\n");

    // behind requests that all have to be answered first
    await()
        .atMost(Duration.ofMinutes(5))
        .ignoreExceptions()
        .until(() -> client.get("/api/session").status() == 200);
    assertAnsweredAtOnce();
  }

  @Test
  void whoReadsGetsAllOfALargeAnswer() {
    String large = "\"" + "x".repeat(2 * 1024 * 1024) + "\"";
    fake.add(fake.row("large", "OrderPlaced", EventStatus.NEW).payloadJson(large));

    assertThat(client.get("/api/outboxes/orders/payload?id=large").body()).isEqualTo(large);
  }
}
