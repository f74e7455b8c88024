package io.outbox.console.internal.live;

import io.outbox.console.internal.http.Response;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;

/**
 * Somebody who watches. Messages wait for them, but not many: who reads too slowly is dropped, and
 * their browser comes back by itself.
 */
final class Viewer implements Response.Body {

  static final int CAPACITY = 32;

  private final BlockingQueue<byte[]> waiting = new ArrayBlockingQueue<>(CAPACITY);
  private final AtomicBoolean over = new AtomicBoolean();
  private final BooleanSupplier welcome;
  private final Duration heartbeat;
  private final Runnable whenOver;
  private Thread writer; // guarded by this

  Viewer(BooleanSupplier welcome, Duration heartbeat, Runnable whenOver) {
    this.welcome = welcome;
    this.heartbeat = heartbeat;
    this.whenOver = whenOver;
  }

  void offer(byte[] message) {
    if (!over.get() && !waiting.offer(message)) {
      close();
    }
  }

  @Override
  public void writeTo(OutputStream out) throws IOException {
    synchronized (this) {
      writer = Thread.currentThread();
    }
    try {
      while (!over.get() && welcome.getAsBoolean()) {
        byte[] message = waiting.poll(heartbeat.toMillis(), TimeUnit.MILLISECONDS);
        out.write(message == null ? Message.HEARTBEAT : message);
        out.flush();
      }
    } catch (InterruptedException e) {
      // close() has ended the wait
    } finally {
      synchronized (this) {
        writer = null;
        // the thread goes back to its pool; close() must not reach it any more
        Thread.interrupted();
      }
      close();
    }
  }

  /** Also ends a write that is stuck: an interrupt closes the channel. */
  @Override
  public void close() {
    if (over.compareAndSet(false, true)) {
      whenOver.run();
    }
    synchronized (this) {
      if (writer != null && writer != Thread.currentThread()) {
        writer.interrupt();
      }
    }
  }
}
