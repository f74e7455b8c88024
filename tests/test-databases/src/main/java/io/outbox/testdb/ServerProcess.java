package io.outbox.testdb;

import java.io.IOException;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** A server this JVM starts; it is stopped and its data deleted when the JVM ends. */
abstract class ServerProcess implements AutoCloseable {
  private static final Set<ServerProcess> OPEN = ConcurrentHashMap.newKeySet();

  static {
    Runtime.getRuntime()
        .addShutdownHook(new Thread(() -> OPEN.forEach(ServerProcess::close), "test-databases"));
  }

  final TestDatabase kind;
  final ServerDirectory directory;
  final int port = Ports.unused();

  ServerProcess(TestDatabase kind) throws IOException {
    this.kind = kind;
    this.directory = ServerDirectory.create(kind);
    OPEN.add(this);
  }

  /**
   * Prepares a server with the given settings on top of ours.
   *
   * @throws IllegalStateException if this machine cannot run it
   */
  static ServerProcess create(TestDatabase kind, Map<String, String> settings) {
    try {
      Platform.check(System.getProperty("os.name"), System.getProperty("os.arch"));
      return switch (kind) {
        case POSTGRES -> new PostgresProcess(settings);
        case MARIADB -> new MysqldProcess(MysqldDistribution.mariaDb(), settings);
        case MYSQL -> new MysqldProcess(MysqldDistribution.mySql(), settings);
        case H2 -> throw new UnsupportedOperationException("H2 runs in this JVM, not as a server");
      };
    } catch (IOException e) {
      throw StartFailure.of(kind, "", e);
    }
  }

  /** Starts the server, on the data it left if it ran before, and waits until it answers. */
  final Endpoint start() {
    try {
      return launch();
    } catch (IOException | RuntimeException e) {
      IllegalStateException failure = StartFailure.of(kind, directory.logTail(), e);
      close();
      throw failure;
    }
  }

  abstract Endpoint launch() throws IOException;

  /** Kills the server as {@code kill -9} does; harmless if it does not run. */
  void kill() {
    directory.killServers();
  }

  /** Stops the server before its data is deleted. */
  void stop() {
    kill();
  }

  @Override
  public final void close() {
    if (OPEN.remove(this)) {
      stop();
      directory.delete();
    }
  }
}
