package io.outbox.rabbitmq;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.EventEnvelope;
import io.outbox.OutageException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Whom the publisher tells its password. */
@Timeout(120)
class TlsTest {

  private static final String PASSWORD = "changeit";

  @TempDir private Path directory;

  /** A server whose certificate nobody signed but itself. */
  private SSLServerSocket impostor() throws IOException, GeneralSecurityException {
    Path store = directory.resolve("impostor.p12");
    Process keytool =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-keyalg",
                "EC",
                "-alias",
                "impostor",
                "-dname",
                "CN=localhost",
                "-ext",
                "SAN=dns:localhost,ip:127.0.0.1",
                "-storetype",
                "PKCS12",
                "-keystore",
                store.toString(),
                "-storepass",
                PASSWORD)
            .redirectErrorStream(true)
            .start();
    String output = new String(keytool.getInputStream().readAllBytes());
    assertThat(keytool.onExit().join().exitValue()).as(output).isZero();
    KeyStore keys = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(store)) {
      keys.load(in, PASSWORD.toCharArray());
    }
    KeyManagerFactory managers =
        KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    managers.init(keys, PASSWORD.toCharArray());
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(managers.getKeyManagers(), null, null);
    return (SSLServerSocket)
        context.getServerSocketFactory().createServerSocket(0, 1, InetAddress.getLoopbackAddress());
  }

  /** The first byte that a client sends after the handshake, or -1 if there is no handshake. */
  private static int firstByte(SSLServerSocket server) {
    try (SSLSocket client = (SSLSocket) server.accept()) {
      return client.getInputStream().read();
    } catch (SSLException e) {
      return -1; // the client did not like the certificate
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void aServerThatCannotProveWhoItIsIsTalkedToByNobody() throws Exception {
    try (SSLServerSocket server = impostor();
        RabbitMqPublisher publisher =
            RabbitMqPublisher.builder()
                .uri("amqps://orders:secret@127.0.0.1:" + server.getLocalPort())
                .destination("orders")
                .confirmTimeout(Duration.ofSeconds(5))
                .build()) {
      CompletableFuture<Integer> heard = CompletableFuture.supplyAsync(() -> firstByte(server));
      assertThat(publisher.onEvent(EventEnvelope.ofJson("OrderPlaced", "{}")))
          .failsWithin(Duration.ofSeconds(60))
          .withThrowableThat()
          .withCauseInstanceOf(OutageException.class);
      assertThat(heard.get(30, TimeUnit.SECONDS)).isEqualTo(-1);
    }
  }
}
