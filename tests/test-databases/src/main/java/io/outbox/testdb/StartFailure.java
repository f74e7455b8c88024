package io.outbox.testdb;

/** Says what was tried and what to do. */
final class StartFailure {
  private StartFailure() {}

  static IllegalStateException of(TestDatabase kind, String log, Exception cause) {
    StringBuilder message = new StringBuilder();
    message.append("Cannot start a %s server for tests: %s%n".formatted(kind, cause.getMessage()));
    if (!log.isEmpty()) {
      message.append("The last lines of its log:%n%s%n".formatted(log.indent(4).stripTrailing()));
    }
    message
        .append("What to do: ")
        .append(advice(kind, log))
        .append("name an existing server with ");
    message.append(
        "-D%s=%s (and -D%s, -D%s) or the environment variable %s (and %s, %s)."
            .formatted(
                ExistingServer.property(kind, "url"),
                ExistingServer.exampleUrl(kind),
                ExistingServer.property(kind, "user"),
                ExistingServer.property(kind, "password"),
                ExistingServer.variable(kind, "url"),
                ExistingServer.variable(kind, "user"),
                ExistingServer.variable(kind, "password")));
    return new IllegalStateException(message.toString(), cause);
  }

  private static String advice(TestDatabase kind, String log) {
    if (log.contains("libaio")) {
      return "install libaio (Debian: apt-get install libaio1), or ";
    }
    if (log.contains("error while loading shared libraries")) {
      return "install the library that the log names, or ";
    }
    if (log.contains("cannot be run as root")) {
      return "build as an ordinary user, or allow root to use `unshare -U`, or ";
    }
    if (kind == TestDatabase.MYSQL && log.isEmpty()) {
      return "build with the Maven profile mysql (-Pmysql), or ";
    }
    return "";
  }
}
