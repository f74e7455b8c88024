package io.outbox.testdb;

/** A server that belongs to one test, which may kill and restart it. Not thread-safe. */
public final class DedicatedServer implements AutoCloseable {
  private final ServerProcess process;
  private final Endpoint endpoint;

  DedicatedServer(ServerProcess process) {
    this.process = process;
    this.endpoint = process.start();
  }

  /** Creates an empty database with a unique name; it lives until {@link #close()}. */
  public Database fresh() {
    return endpoint.createPermanentDatabase();
  }

  /** Kills the server as {@code kill -9} does and returns when it is gone. */
  public void killServer() {
    process.kill();
  }

  /** Starts the server again, with the same data, port and settings; kills it first if it runs. */
  public void restart() {
    process.kill();
    process.start();
  }

  /** Stops the server and deletes its data. */
  @Override
  public void close() {
    process.close();
  }
}
