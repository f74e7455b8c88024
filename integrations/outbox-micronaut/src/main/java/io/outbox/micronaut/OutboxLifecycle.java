package io.outbox.micronaut;

import io.micronaut.context.BeanContext;
import io.micronaut.context.annotation.Requires;
import io.micronaut.context.event.ApplicationEventListener;
import io.micronaut.context.event.BeanContextEvent;
import io.micronaut.context.event.ShutdownEvent;
import io.micronaut.context.event.StartupEvent;
import io.micronaut.core.util.StringUtils;
import io.outbox.BoundEventListener;
import io.outbox.Outbox;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.registry.ListenerRegistry;
import io.outbox.util.PrintableLogger;
import io.outbox.wiring.OutboxConfigurationException;
import io.outbox.wiring.Settings.Mode;
import io.outbox.wiring.listener.AnnotatedListeners;
import jakarta.inject.Singleton;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;

/**
 * Starts delivery with the application, after the last listener is registered, and stops it before
 * the first bean is destroyed.
 */
@Singleton
@Requires(property = OutboxConfiguration.PREFIX + ".enabled", notEquals = StringUtils.FALSE)
final class OutboxLifecycle implements ApplicationEventListener<BeanContextEvent> {

  private static final Logger LOG = PrintableLogger.of(OutboxLifecycle.class);

  private final BeanContext beans;
  private final ChosenBeans chosen;
  private final OutboxConfiguration configuration;
  private Outbox outbox;

  OutboxLifecycle(BeanContext beans, ChosenBeans chosen, OutboxConfiguration configuration) {
    this.beans = beans;
    this.chosen = chosen;
    this.configuration = configuration;
  }

  @Override
  public boolean supports(BeanContextEvent event) {
    return event instanceof StartupEvent || event instanceof ShutdownEvent;
  }

  @Override
  public synchronized void onApplicationEvent(BeanContextEvent event) {
    if (event instanceof StartupEvent) {
      start();
    } else if (outbox != null) {
      outbox.stop();
    }
  }

  private void start() {
    AnnotatedListeners listeners = beans.getBean(AnnotatedListeners.class);
    for (BoundEventListener listener : beans.getBeansOfType(BoundEventListener.class)) {
      listeners.add(listener, "bean " + listener.getClass().getName());
    }
    listeners.complete();
    requireRegistry(listeners);
    if (configuration.mode() == Mode.WRITER_ONLY && listeners.count() > 0) {
      LOG.log(
          Level.WARNING,
          () -> listeners.count() + " outbox listeners are never called in the mode writer-only");
    }
    outbox = chosen.get(Outbox.class);
    outbox.start();
  }

  private void requireRegistry(AnnotatedListeners listeners) {
    ListenerRegistry inUse = chosen.get(ListenerRegistry.class);
    if (listeners.count() > 0 && inUse != chosen.get(DefaultListenerRegistry.class)) {
      throw new OutboxConfigurationException(
          "There are "
              + listeners.count()
              + " outbox listeners, but the ListenerRegistry of the application is "
              + inUse.getClass().getName()
              + ", in which they are not registered.",
          "Make the ListenerRegistry bean a DefaultListenerRegistry, or find listeners in your own"
              + " and remove the annotations.");
    }
  }
}
