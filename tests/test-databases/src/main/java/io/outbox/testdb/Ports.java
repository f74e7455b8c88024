package io.outbox.testdb;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;

/** Free ports of this machine. */
public final class Ports {
  private Ports() {}

  /**
   * Not from the range the system takes for outgoing connections: while a killed server is down, a
   * client that keeps connecting could get its port, or even be connected to itself.
   */
  public static int unused() {
    for (int attempt = 0; attempt < 100; attempt++) {
      int port = ThreadLocalRandom.current().nextInt(15_000, 30_000);
      if (isUnused(port)) {
        return port;
      }
    }
    throw new IllegalStateException("No unused port between 15000 and 30000 on 127.0.0.1");
  }

  private static boolean isUnused(int port) {
    try (ServerSocket socket = new ServerSocket()) {
      socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
      return true;
    } catch (IOException e) {
      return false;
    }
  }
}
