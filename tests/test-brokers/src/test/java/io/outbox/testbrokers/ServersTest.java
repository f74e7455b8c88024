package io.outbox.testbrokers;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Each server is started, or the one that is named is used, and answers in its own words. */
@Timeout(120)
class ServersTest {

  @Test
  void redisAnswers() throws IOException {
    assertThat(ask(RedisServer.uri(), "PING\r\n")).startsWith("+PONG");
  }

  @Test
  void natsAnswersAndHasJetStream() throws IOException {
    assertThat(ask(NatsServer.uri(), "")).startsWith("INFO").contains("\"jetstream\":true");
  }

  @Test
  void rabbitMqAnswers() throws IOException {
    URI uri = RabbitServer.uri();
    assertThat(uri.getUserInfo()).isNotBlank();
    assertThat(ask(uri, "AMQP\0\0\t\1")).contains("RabbitMQ");
  }

  @Test
  void programsAreFoundOnThePath() {
    assertThat(Programs.find("sh", "/nowhere:/bin")).contains(Path.of("/bin/sh"));
    assertThat(Programs.find("no-such-program-at-all", "/bin")).isEmpty();
  }

  private static String ask(URI server, String question) throws IOException {
    try (Socket socket = new Socket(server.getHost(), server.getPort())) {
      socket.setSoTimeout(10_000);
      socket.getOutputStream().write(question.getBytes(StandardCharsets.ISO_8859_1));
      InputStream in = socket.getInputStream();
      byte[] first = new byte[2_000];
      int length = in.read(first);
      return new String(first, 0, Math.max(0, length), StandardCharsets.ISO_8859_1);
    }
  }
}
