package io.outbox.nats;

import io.nats.client.Connection;
import io.nats.client.ConnectionListener;
import io.nats.client.Nats;
import io.nats.client.Options;
import io.nats.client.api.ServerInfo;
import io.outbox.OutageException;
import io.outbox.internal.publish.ConnectBackoff;
import io.outbox.internal.publish.SharedConnection;
import io.outbox.util.DaemonThreadFactory;
import io.outbox.util.PrintableLogger;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Consumer;

/**
 * The connection. The first is opened when it is needed, on its own thread; after that the client
 * reconnects by itself, for ever. Until it has, nothing is given to it: what its buffer takes would
 * look like sent. Thread-safe; waits for nothing, except to close.
 */
final class Connector implements SharedConnection.Client<Connection> {

  private static final Logger LOG = PrintableLogger.of(NatsPublisher.class);

  private final Options given;
  private final Duration timeout;
  private final Consumer<OutageException> onLoss;
  private final ExecutorService executor =
      Executors.newSingleThreadExecutor(new DaemonThreadFactory("outbox-nats-connect-"));
  private final SharedConnection<Connection> shared =
      new SharedConnection<>(this, new ConnectBackoff("NATS", LOG));

  /** Which connection may be written to; null: none so far. */
  private volatile String readyId;

  /**
   * Prepares a connection.
   *
   * @param onLoss told when it is lost: no acknowledgement comes for what was sent
   */
  Connector(Options given, Duration timeout, Consumer<OutageException> onLoss) {
    this.given = given;
    this.timeout = timeout;
    this.onLoss = onLoss;
  }

  private Options options(Watch watch) {
    return new Options.Builder(given)
        .maxReconnects(-1)
        .reconnectBufferSize(0)
        .requestCleanupInterval(timeout)
        .writeQueuePushTimeout(Options.MINIMUM_WRITE_QUEUE_PUSH_TIMEOUT)
        .clientSideLimitChecks(true)
        .dontForceFlushOnRequest()
        .connectionListener(watch)
        .build();
  }

  /** A connection that is up, or will be; or an {@link OutageException}. */
  CompletableFuture<Connection> connection() {
    CompletableFuture<Connection> connection = shared.get();
    return isDown(connection)
        ? CompletableFuture.failedFuture(new OutageException("NATS is not connected"))
        : connection;
  }

  @Override
  public CompletionStage<Connection> open() {
    return CompletableFuture.supplyAsync(this::connect, executor);
  }

  /** The client does not reconnect any more. */
  @Override
  public boolean isOver(Connection connection) {
    return connection.getStatus() == Connection.Status.CLOSED;
  }

  private boolean isDown(CompletableFuture<Connection> connection) {
    return connection.isDone()
        && !connection.isCompletedExceptionally()
        && !isReady(connection.join());
  }

  /** Whether what is published now goes straight to the server, after what went before. */
  private boolean isReady(Connection connection) {
    return connection.getStatus() == Connection.Status.CONNECTED && id(connection).equals(readyId);
  }

  /** Another one after each reconnect: the server, and its number for the connection. */
  static String id(Connection connection) {
    ServerInfo info = connection.getServerInfo();
    return info.getServerId() + "/" + info.getClientId();
  }

  private Connection connect() {
    try {
      Watch watch = new Watch(given.getConnectionListener());
      Connection opened = Nats.connect(options(watch));
      watch.up = true;
      readyId = id(opened);
      return opened;
    } catch (IOException | RuntimeException e) {
      throw outage(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new OutageException("interrupted while connecting to NATS", e);
    }
  }

  /** Without the cause: it repeats the addresses, and there may be a password in them. */
  @Override
  public OutageException outage(Throwable failure) {
    return new OutageException("NATS cannot be reached: " + withoutCredentials(failure));
  }

  static String withoutCredentials(Throwable failure) {
    return failure.toString().replaceAll("//[^/@\\s]*@", "//");
  }

  /** Gives no more connections. */
  void refuse() {
    shared.refuse();
  }

  void close() {
    executor.shutdownNow();
    shared.close();
  }

  @Override
  public void end(Connection connection) {
    try {
      connection.close();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Notes when the connection is lost and when it is as good as new. */
  private final class Watch implements ConnectionListener {

    private final ConnectionListener users; // null if there is none
    private volatile boolean up; // it was connected once

    Watch(ConnectionListener users) {
      this.users = users;
    }

    @Override
    @SuppressWarnings("deprecation") // abstract in the interface, called by nobody
    public void connectionEvent(Connection connection, Events event) {
      connectionEvent(connection, event, System.currentTimeMillis(), "");
    }

    @Override
    public void connectionEvent(Connection connection, Events event, Long time, String uri) {
      switch (event) {
        case DISCONNECTED, CLOSED -> {
          if (up) {
            // while it tries to reconnect, this comes again and again
            boolean known = shared.isRefusing() || readyId == null;
            readyId = null;
            LOG.log(known ? Level.DEBUG : Level.WARNING, "the connection to NATS is lost");
            onLoss.accept(new OutageException("the connection to NATS was lost"));
          }
        }
        case RESUBSCRIBED -> {
          // not before: until here the client puts some messages before others
          readyId = id(connection);
          LOG.log(Level.INFO, "connected to NATS again");
        }
        default -> LOG.log(Level.DEBUG, () -> String.valueOf(event));
      }
      if (users != null) {
        users.connectionEvent(connection, event, time, uri);
      }
    }
  }
}
