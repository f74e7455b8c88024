package io.outbox.testbrokers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class TcpProxyTest {

  private ServerSocket echo;
  private TcpProxy proxy;

  @BeforeEach
  void start() throws IOException {
    echo = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    Thread acceptor = new Thread(this::serve);
    acceptor.setDaemon(true);
    acceptor.start();
    proxy = TcpProxy.to("127.0.0.1", echo.getLocalPort());
  }

  private void serve() {
    while (!echo.isClosed()) {
      try {
        Socket socket = echo.accept();
        Thread worker =
            new Thread(
                () -> {
                  try (socket) {
                    socket.getInputStream().transferTo(socket.getOutputStream());
                  } catch (IOException e) {
                    // that is what a cut does
                  }
                });
        worker.setDaemon(true);
        worker.start();
      } catch (IOException e) {
        return;
      }
    }
  }

  @AfterEach
  void stop() throws IOException {
    proxy.close();
    echo.close();
  }

  private Socket connect() throws IOException {
    Socket socket = new Socket(proxy.host(), proxy.port());
    socket.setSoTimeout(60_000);
    return socket;
  }

  private static int exchange(Socket socket, int value) throws IOException {
    socket.getOutputStream().write(value);
    return socket.getInputStream().read();
  }

  @Test
  void passesEverythingToTheLastByte() throws IOException {
    byte[] much = new byte[3_000_000];
    try (Socket socket = connect()) {
      Thread writer =
          new Thread(
              () -> {
                try {
                  socket.getOutputStream().write(much);
                  socket.shutdownOutput();
                } catch (IOException e) {
                  throw new AssertionError(e);
                }
              });
      writer.start();
      InputStream in = socket.getInputStream();
      assertThat(in.readAllBytes()).hasSize(much.length);
    }
  }

  @Test
  void aCutEndsConnectionsAndNewOnesUntilItIsRestored() throws IOException {
    try (Socket socket = connect()) {
      assertThat(exchange(socket, 7)).isEqualTo(7);
      proxy.cut();
      assertThat(isEnded(socket)).isTrue();
    }
    assertThat(isEnded(connectOrNull())).isTrue();
    proxy.restore();
    try (Socket socket = connect()) {
      assertThat(exchange(socket, 8)).isEqualTo(8);
    }
  }

  private Socket connectOrNull() {
    try {
      return connect();
    } catch (IOException e) {
      return null; // ended before it was made
    }
  }

  private static boolean isEnded(Socket socket) {
    try {
      return socket == null || exchange(socket, 1) < 0;
    } catch (SocketTimeoutException e) {
      return false;
    } catch (IOException e) {
      return true;
    }
  }

  @Test
  void aFrozenProxyKeepsConnectionsAndPassesNothing() throws IOException {
    try (Socket before = connect()) {
      assertThat(exchange(before, 1)).isEqualTo(1);
      proxy.freeze();
      try (Socket during = connect()) {
        before.setSoTimeout(200);
        during.setSoTimeout(200);
        assertThatThrownBy(() -> exchange(before, 2)).isInstanceOf(SocketTimeoutException.class);
        assertThatThrownBy(() -> exchange(during, 3)).isInstanceOf(SocketTimeoutException.class);
        proxy.restore();
        before.setSoTimeout(60_000);
        during.setSoTimeout(60_000);
        assertThat(before.getInputStream().read()).isEqualTo(2);
        assertThat(during.getInputStream().read()).isEqualTo(3);
      }
    }
  }

  @Test
  void connectionsThatAreLeftFrozenPassNothingWhileNewOnesDo() throws IOException {
    try (Socket before = connect()) {
      assertThat(exchange(before, 1)).isEqualTo(1);
      proxy.freeze();
      proxy.restoreForNewConnections();
      try (Socket after = connect()) {
        assertThat(exchange(after, 2)).isEqualTo(2);
      }
      before.setSoTimeout(200);
      assertThatThrownBy(() -> exchange(before, 3)).isInstanceOf(SocketTimeoutException.class);
    }
  }

  @Test
  void theServerDoesNotSeeAClientLeaveAFrozenProxy() throws Exception {
    try (ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      proxy.retarget("127.0.0.1", server.getLocalPort());
      Socket client = connect();
      client.getOutputStream().write(1);
      try (Socket session = server.accept()) {
        assertThat(session.getInputStream().read()).isEqualTo(1);
        proxy.freeze();
        client.close();
        session.setSoTimeout(200);
        assertThatThrownBy(() -> session.getInputStream().read())
            .isInstanceOf(SocketTimeoutException.class);
        proxy.restore();
        session.setSoTimeout(60_000);
        assertThat(session.getInputStream().read()).isNegative();
      }
    }
  }

  @Test
  void newConnectionsGoToTheNewServer() throws IOException {
    try (ServerSocket other = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        Socket before = connect()) {
      assertThat(exchange(before, 1)).isEqualTo(1);
      proxy.retarget("127.0.0.1", other.getLocalPort());
      assertThat(exchange(before, 2)).isEqualTo(2);
      try (Socket after = connect();
          Socket session = other.accept()) {
        after.getOutputStream().write(3);
        assertThat(session.getInputStream().read()).isEqualTo(3);
      }
    }
  }
}
