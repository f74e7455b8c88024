package io.outbox.quarkus.runtime;

import io.outbox.BoundEventListener;
import io.outbox.Outbox;
import io.outbox.annotation.support.AnnotatedListeners;
import io.outbox.annotation.support.ListenerAddress;
import io.outbox.quarkus.runtime.OutboxConfig.Mode;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.spi.JsonCodec;
import io.outbox.util.PrintableLogger;
import io.quarkus.arc.All;
import io.quarkus.arc.ClientProxy;
import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.runtime.StartupEvent;
import jakarta.annotation.Priority;
import jakarta.enterprise.event.Observes;
import jakarta.enterprise.inject.Instance;
import jakarta.inject.Singleton;
import jakarta.interceptor.Interceptor;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.List;

/**
 * Starts delivery when everything else is up, every listener included, and stops it before anything
 * else.
 */
@Singleton
public class OutboxLifecycle {

  private static final Logger LOG = PrintableLogger.of(OutboxLifecycle.class);

  private final Instance<Outbox> outbox;
  private final JsonCodec codec;
  private final OutboxConfig config;
  private final AnnotatedListeners listeners;
  private final List<BoundEventListener> bound;

  OutboxLifecycle(
      Instance<Outbox> outbox,
      JsonCodec codec,
      OutboxConfig config,
      DefaultListenerRegistry registry,
      @All List<BoundEventListener> bound) {
    this.outbox = outbox;
    this.codec = codec;
    this.config = config;
    this.listeners = new AnnotatedListeners(registry);
    this.bound = bound;
  }

  /**
   * Makes the outbox, outside of any transaction, and registers listeners. The codec is the one of
   * the JVM while the application runs.
   */
  void prepare(List<ListenerDeclaration> declarations) {
    JsonCodec.setDefault(codec);
    for (ListenerDeclaration declaration : declarations) {
      declaration.register(listeners);
    }
    for (BoundEventListener listener : bound) {
      String type = ClientProxy.unwrap(listener).getClass().getName();
      listeners.add(ListenerAddress.of(listener), listener, "bean " + type);
    }
    outbox.get();
  }

  /** After the observers of the application, which may register listeners by hand. */
  void start(@Observes @Priority(Interceptor.Priority.PLATFORM_AFTER) StartupEvent event) {
    if (config.mode() == Mode.WRITER_ONLY && listeners.count() > 0) {
      LOG.log(
          Level.WARNING,
          () -> listeners.count() + " outbox listeners are never called in the mode writer-only");
    }
    outbox.get().start();
  }

  /** The first to stop; events that are written from now on wait for the next start. */
  void stop(@Observes @Priority(Interceptor.Priority.PLATFORM_BEFORE) ShutdownEvent event) {
    outbox.get().close();
    JsonCodec.setDefault(null);
  }
}
