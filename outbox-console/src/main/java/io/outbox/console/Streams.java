package io.outbox.console;

import io.outbox.console.internal.api.Boards;
import io.outbox.console.internal.http.Response;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** Writes answers that last, each on a thread of its own, so that none of the server's waits. */
final class Streams implements AutoCloseable {

  private static final Logger LOG = System.getLogger(Streams.class.getName());

  private final ExecutorService threads =
      new ThreadPoolExecutor(
          0,
          // some end while others begin
          Boards.MAX_VIEWERS + 4,
          10,
          TimeUnit.SECONDS,
          new SynchronousQueue<>(),
          Boards.threads("outbox-console-live"));

  /** Begins to write; {@code whenOver} is called in any case. */
  void write(Response.Body body, OutputStream out, Runnable whenOver) {
    try {
      threads.execute(
          () -> {
            try {
              body.writeTo(out);
            } catch (IOException | RuntimeException e) {
              LOG.log(Level.DEBUG, "somebody has stopped watching", e);
            } finally {
              body.close();
              whenOver.run();
            }
          });
    } catch (RejectedExecutionException e) {
      body.close();
      whenOver.run();
    }
  }

  @Override
  public void close() {
    threads.shutdownNow();
  }
}
