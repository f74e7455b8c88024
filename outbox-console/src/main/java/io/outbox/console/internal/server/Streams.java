package io.outbox.console.internal.server;

import io.outbox.console.internal.http.Response;
import io.outbox.util.DaemonThreadFactory;
import io.outbox.util.PrintableLogger;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** Writes long answers, each on a separate thread, so that no thread of the server waits. */
public final class Streams implements AutoCloseable {

  private static final Logger LOG = PrintableLogger.of(Streams.class);

  private final ExecutorService threads;

  /**
   * @param max how many there may be at a time
   */
  public Streams(int max) {
    threads =
        new ThreadPoolExecutor(
            0,
            max,
            10,
            TimeUnit.SECONDS,
            new SynchronousQueue<>(),
            new DaemonThreadFactory("outbox-console-live-"));
  }

  /** Begins to write; {@code whenOver} is called in any case, with null or what went wrong. */
  public void write(Response.Body body, OutputStream out, Consumer<Exception> whenOver) {
    try {
      threads.execute(
          () -> {
            Exception problem = null;
            try {
              body.writeTo(out);
            } catch (IOException | RuntimeException e) {
              LOG.log(Level.DEBUG, "somebody has stopped watching", e);
              problem = e;
            } finally {
              body.close();
              whenOver.accept(problem);
            }
          });
    } catch (RejectedExecutionException e) {
      body.close();
      whenOver.accept(e);
    }
  }

  @Override
  public void close() {
    threads.shutdownNow();
  }
}
