package io.outbox.testdb;

import java.io.IOException;

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

  /** Where it listens, on 127.0.0.1. */
  public int port() {
    return process.port;
  }

  /**
   * Starts a server that follows this one, and answers queries; PostgreSQL only.
   *
   * @throws IllegalStateException if it cannot be started
   */
  public DedicatedServer standby() {
    if (!(process instanceof PostgresProcess primary)) {
      throw new UnsupportedOperationException("a standby of " + process.kind);
    }
    try {
      return new DedicatedServer(primary.standby());
    } catch (IOException e) {
      throw StartFailure.of(process.kind, "", e);
    }
  }

  /** Makes a standby the primary, and returns when it takes writes. */
  public void promote() {
    execute("SELECT pg_promote(true, 60)");
  }

  /** Executes a statement as the user who may do everything. */
  public void execute(String sql) {
    endpoint.execute(sql);
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
