package io.outbox.util;

import java.util.Objects;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;

/** Makes daemon threads named {@code prefix1}, {@code prefix2}, … Thread-safe. */
public final class DaemonThreadFactory implements ThreadFactory {

  private final String prefix;
  private final AtomicInteger count = new AtomicInteger();

  public DaemonThreadFactory(String prefix) {
    this.prefix = Objects.requireNonNull(prefix, "prefix");
  }

  @Override
  public Thread newThread(Runnable task) {
    Thread thread = new Thread(task, prefix + count.incrementAndGet());
    thread.setDaemon(true);
    return thread;
  }
}
