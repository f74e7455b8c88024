package io.outbox.internal;

import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** A lock that is held for the time of a {@code try}: {@code try (Guard held = guard.lock())}. */
public final class Guard implements AutoCloseable {

  private final ReentrantLock lock = new ReentrantLock();

  public Condition newCondition() {
    return lock.newCondition();
  }

  public Guard lock() {
    lock.lock();
    return this;
  }

  public Guard lockInterruptibly() throws InterruptedException {
    lock.lockInterruptibly();
    return this;
  }

  @Override
  public void close() {
    lock.unlock();
  }
}
