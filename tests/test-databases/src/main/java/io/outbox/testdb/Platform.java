package io.outbox.testdb;

import java.io.IOException;

final class Platform {
  private Platform() {}

  static void check(String osName, String osArch) throws IOException {
    if (!osName.equals("Linux") || !osArch.equals("amd64")) {
      throw new IOException(
          "the bundled servers are for Linux on amd64, this is %s on %s".formatted(osName, osArch));
    }
  }
}
