package io.outbox.testbrokers;

import io.outbox.testdb.Ports;
import java.net.URI;
import java.nio.file.Path;

/** A RabbitMQ that belongs to one test, which may kill and restart it. Not thread-safe. */
public final class DedicatedRabbit implements AutoCloseable {

  private final Path program;
  private final ServerProcess process = ServerProcess.prepare("rabbitmq");
  private final int epmd = Ports.unused();

  /**
   * Starts it.
   *
   * @throws IllegalStateException if there is no such program on this machine
   */
  public DedicatedRabbit() {
    this.program =
        Programs.find("rabbitmq-server")
            .orElseThrow(() -> new IllegalStateException("there is no rabbitmq-server"));
    restart();
  }

  /** Its address, with user, password, host and port. */
  public URI uri() {
    return RabbitServer.uri(process);
  }

  /** Kills it as {@code kill -9} does, and returns when it is gone. */
  public void kill() {
    process.kill();
  }

  /** Starts it again on what it has kept. */
  public void restart() {
    RabbitServer.start(process, program, epmd);
  }

  @Override
  public void close() {
    process.stop();
  }
}
