package io.outbox.spring.boot;

import io.outbox.Outbox;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.List;
import org.springframework.context.SmartLifecycle;

/**
 * Starts delivery when everything else is up, every listener included, and stops it before anything
 * else. May be started and stopped many times.
 */
final class OutboxLifecycle implements SmartLifecycle {

  private static final Logger LOG = System.getLogger(OutboxLifecycle.class.getName());

  private final List<Outbox> outboxes;
  private final OutboxProperties properties;
  private final OutboxListenerRegistrar listeners;
  private volatile boolean running;

  OutboxLifecycle(
      List<Outbox> outboxes, OutboxProperties properties, OutboxListenerRegistrar listeners) {
    this.outboxes = List.copyOf(outboxes);
    this.properties = properties;
    this.listeners = listeners;
  }

  @Override
  public void start() {
    if (properties.getMode() == OutboxProperties.Mode.WRITER_ONLY && listeners.count() > 0) {
      LOG.log(
          Level.WARNING,
          () -> listeners.count() + " outbox listeners are never called in the mode writer-only");
    }
    outboxes.forEach(Outbox::start);
    running = true;
  }

  @Override
  public void stop() {
    outboxes.forEach(Outbox::stop);
    running = false;
  }

  /** On a thread of its own, so that others of the same phase stop at the same time. */
  @Override
  public void stop(Runnable callback) {
    Thread stopping =
        new Thread(
            () -> {
              try {
                stop();
              } finally {
                callback.run();
              }
            },
            "outbox-stop");
    stopping.start();
  }

  @Override
  public boolean isRunning() {
    return running;
  }

  /** The last to start and the first to stop. */
  @Override
  public int getPhase() {
    return DEFAULT_PHASE;
  }
}
