package io.outbox.quarkus.runtime;

import io.outbox.BoundEventListener;
import io.outbox.EventListener;
import io.outbox.Outbox;
import io.outbox.publish.Addressed;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.util.PrintableLogger;
import io.outbox.wiring.DefaultCodec;
import io.outbox.wiring.Settings;
import io.outbox.wiring.Settings.Mode;
import io.outbox.wiring.listener.AnnotatedListeners;
import io.outbox.wiring.listener.ListenerAddress;
import io.outbox.wiring.listener.ListenerPolicies;
import io.quarkus.arc.ClientProxy;
import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.runtime.StartupEvent;
import jakarta.annotation.Priority;
import jakarta.enterprise.event.Observes;
import jakarta.enterprise.inject.Any;
import jakarta.enterprise.inject.Instance;
import jakarta.inject.Singleton;
import jakarta.interceptor.Interceptor;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.Optional;

/**
 * Starts delivery when everything else is up, every listener included, and stops it before anything
 * else.
 */
@Singleton
public class OutboxLifecycle {

  private static final Logger LOG = PrintableLogger.of(OutboxLifecycle.class);

  private final OutboxDataSource dataSource;
  private final Instance<Outbox> outbox;
  private final Settings settings;
  private final AnnotatedListeners listeners;
  private final Instance<BoundEventListener> bound;

  /** Null if there is none. */
  private volatile Outbox prepared;

  /** {@code codec}: it is the default before the first event can be written. */
  OutboxLifecycle(
      OutboxDataSource dataSource,
      Instance<Outbox> outbox,
      DefaultCodec codec,
      Settings settings,
      DefaultListenerRegistry registry,
      @Any Instance<BoundEventListener> bound) {
    this.dataSource = dataSource;
    this.outbox = outbox;
    this.settings = settings;
    this.listeners = new AnnotatedListeners(registry, ListenerPolicies.of(settings));
    this.bound = bound;
  }

  /** Makes the outbox, outside of any transaction, and registers annotated listeners. */
  void prepare(List<ListenerDeclaration> declarations) {
    Optional<String> off = dataSource.whyOff();
    if (off.isPresent()) {
      LOG.log(Level.WARNING, off.get());
      return;
    }
    prepared =
        Refusals.translated(
            () -> {
              declarations.forEach(declaration -> declaration.register(listeners));
              return outbox.get();
            });
  }

  /** After the observers of the application, which may register listeners by hand. */
  void start(@Observes @Priority(Interceptor.Priority.PLATFORM_AFTER) StartupEvent event) {
    if (prepared == null) {
      return;
    }
    Refusals.translated(this::completeListeners);
    if (settings.mode() == Mode.WRITER_ONLY && listeners.count() > 0) {
      LOG.log(
          Level.WARNING,
          () -> listeners.count() + " outbox listeners are never called in the mode writer-only");
    }
    prepared.start();
  }

  private int completeListeners() {
    for (BoundEventListener listener : bound) {
      String type = ClientProxy.unwrap(listener).getClass().getName();
      listeners.add(ListenerAddress.of(listener), inRequest(listener), "bean " + type);
    }
    listeners.complete();
    return listeners.count();
  }

  /** A publisher stays what it is: it needs no context, and the engine asks it for destinations. */
  private static EventListener inRequest(BoundEventListener listener) {
    return listener instanceof Addressed
        ? listener
        : event -> ListenerRequest.call(() -> listener.onEvent(event));
  }

  /** The first to stop; events that are written from now on wait for the next start. */
  void stop(@Observes @Priority(Interceptor.Priority.PLATFORM_BEFORE) ShutdownEvent event) {
    if (prepared != null) {
      prepared.close();
    }
  }
}
