package io.outbox.console.internal.server;

import io.outbox.console.internal.http.Request;
import io.outbox.console.internal.http.Response;
import io.outbox.util.PrintableLogger;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.eclipse.jetty.util.thread.ScheduledExecutorScheduler;

/**
 * A small HTTP server on Jetty. A thread works for a request when all of it is there, and not
 * longer than until the answer is known; clients that send or read slowly cost none.
 */
public final class NonBlockingServer implements AutoCloseable {

  private static final Logger LOG = PrintableLogger.of(NonBlockingServer.class);

  /** With one that accepts and one that selects. */
  private static final int THREADS = 18;

  private static final int HEAD_BYTES = 16 * 1024;
  private static final int MAX_WAITING = 2_000;
  private static final int LOOKS = 10;

  private final Server server;
  private final ServerConnector connector;
  private final ScheduledExecutorScheduler scheduler;
  private final WaitingConnections waiting;
  private final long lookEveryMillis;

  private NonBlockingServer(
      String name,
      InetSocketAddress address,
      Duration patience,
      Function<Request, Response> application,
      Streams streams) {
    QueuedThreadPool threads = new QueuedThreadPool(THREADS, 2, 30_000);
    threads.setName(name + "-http");
    threads.setDaemon(true);
    threads.setStopTimeout(0);
    server = new Server(threads);
    server.setStopTimeout(0);
    scheduler = new ScheduledExecutorScheduler(name + "-timer", true);
    HttpConfiguration http = new HttpConfiguration();
    http.setSendServerVersion(false);
    http.setRequestHeaderSize(HEAD_BYTES);
    connector =
        new ServerConnector(server, null, scheduler, null, 1, 1, new HttpConnectionFactory(http));
    connector.setHost(address.getAddress().getHostAddress());
    connector.setPort(address.getPort());
    // between two pieces; a stream's heartbeat is more frequent
    connector.setIdleTimeout(Math.max(30_000, patience.toMillis()));
    waiting = new WaitingConnections(patience, MAX_WAITING);
    connector.addBean(waiting);
    server.addConnector(connector);
    server.setErrorHandler(new Refusing());
    server.setHandler(new Answering(application, waiting, streams, threads, scheduler));
    lookEveryMillis = Math.max(1, patience.toMillis() / LOOKS);
  }

  /**
   * Begins to listen.
   *
   * @param name of its threads
   * @param patience how long a client may take to send a request
   * @param streams write answers that last
   * @throws IOException if the port is in use, or the address is not one of this machine
   */
  public static NonBlockingServer start(
      String name,
      InetSocketAddress address,
      Duration patience,
      Function<Request, Response> application,
      Streams streams)
      throws IOException {
    NonBlockingServer started =
        new NonBlockingServer(name, address, patience, application, streams);
    try {
      started.server.start();
    } catch (Exception e) {
      started.close();
      Throwable cause = e.getCause() instanceof IOException ? e.getCause() : e;
      throw new IOException(cause.getMessage(), cause);
    }
    started.look();
    return started;
  }

  private void look() {
    waiting.closeSlowOnes();
    if (server.isRunning()) {
      scheduler.schedule(this::look, lookEveryMillis, TimeUnit.MILLISECONDS);
    }
  }

  /** The port that it listens on. */
  public int port() {
    return connector.getLocalPort();
  }

  @Override
  public void close() {
    try {
      server.stop();
    } catch (Exception e) {
      LOG.log(Level.DEBUG, "the server did not stop in order", e);
    }
  }
}
