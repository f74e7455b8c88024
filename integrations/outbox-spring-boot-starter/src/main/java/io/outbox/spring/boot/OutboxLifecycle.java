package io.outbox.spring.boot;

import io.outbox.Outbox;
import io.outbox.util.PrintableLogger;
import io.outbox.wiring.Settings.Mode;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.List;
import org.springframework.beans.factory.BeanNameAware;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.SmartLifecycle;

/**
 * Starts delivery when everything else is up, every listener included, and stops it before anything
 * else. May be started and stopped many times.
 */
final class OutboxLifecycle implements SmartLifecycle, SmartInitializingSingleton, BeanNameAware {

  private static final Logger LOG = PrintableLogger.of(OutboxLifecycle.class);

  private final List<Outbox> outboxes;
  private final OutboxProperties properties;
  private final OutboxListenerRegistrar listeners;
  private final ConfigurableListableBeanFactory beans;
  private String name;
  private volatile boolean running;

  OutboxLifecycle(
      List<Outbox> outboxes,
      OutboxProperties properties,
      OutboxListenerRegistrar listeners,
      ConfigurableListableBeanFactory beans) {
    this.beans = beans;
    this.outboxes = List.copyOf(outboxes);
    this.properties = properties;
    this.listeners = listeners;
  }

  @Override
  public void setBeanName(String name) {
    this.name = name;
  }

  /**
   * There is no phase after the one of beans that name none, executors for example. As their
   * dependent, the outbox starts after them and is stopped, listeners and all, before them.
   */
  @Override
  public void afterSingletonsInstantiated() {
    for (String other : beans.getBeanNamesForType(SmartLifecycle.class, false, false)) {
      if (!other.equals(name)
          && beans.getSingleton(other) instanceof SmartLifecycle neighbor
          && neighbor.getPhase() == getPhase()) {
        beans.registerDependentBean(other, name);
      }
    }
  }

  @Override
  public void start() {
    if (properties.mode() == Mode.WRITER_ONLY && listeners.count() > 0) {
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
