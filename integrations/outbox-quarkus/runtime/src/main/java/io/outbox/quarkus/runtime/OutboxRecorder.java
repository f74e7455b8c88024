package io.outbox.quarkus.runtime;

import io.outbox.AggregateType;
import io.outbox.EventType;
import io.outbox.wiring.listener.ListenerAddress;
import io.quarkus.arc.runtime.BeanContainer;
import io.quarkus.runtime.RuntimeValue;
import io.quarkus.runtime.annotations.Recorder;
import jakarta.enterprise.invoke.Invoker;
import java.util.ArrayList;
import java.util.List;

/** What the build has found, for the start of the application. */
@Recorder
public class OutboxRecorder {

  /** Collects listeners. */
  public RuntimeValue<List<ListenerDeclaration>> listeners() {
    return new RuntimeValue<>(new ArrayList<>());
  }

  /**
   * Adds a listener method.
   *
   * @param address event type, aggregate type, subscription, and the names of the classes of the
   *     types; empty for none
   * @param parameters the names of the classes of its parameters
   */
  public void add(
      RuntimeValue<List<ListenerDeclaration>> listeners,
      String where,
      List<String> address,
      List<String> parameters,
      boolean async,
      RuntimeValue<Invoker<?, ?>> invoker) {
    List<Class<?>> types = new ArrayList<>();
    for (String parameter : parameters) {
      types.add(classNamed(parameter));
    }
    ListenerAddress declared =
        Refusals.translated(
            () ->
                ListenerAddress.of(
                    where,
                    address.get(0),
                    classNamed(address.get(3), EventType.class),
                    address.get(1),
                    classNamed(address.get(4), AggregateType.class),
                    address.get(2)));
    listeners
        .getValue()
        .add(new ListenerDeclaration(where, declared, types, async, invoker.getValue()));
  }

  private static <T> Class<? extends T> classNamed(String name, Class<T> otherwise) {
    return name.isEmpty() ? otherwise : classNamed(name).asSubclass(otherwise);
  }

  private static Class<?> classNamed(String name) {
    try {
      return Class.forName(name, false, Thread.currentThread().getContextClassLoader());
    } catch (ClassNotFoundException e) {
      throw new IllegalStateException("The class " + name + " of an outbox listener is gone.", e);
    }
  }

  /** Makes the outbox; it is started when the application is. */
  public void prepare(BeanContainer container, RuntimeValue<List<ListenerDeclaration>> listeners) {
    container.beanInstance(OutboxLifecycle.class).prepare(listeners.getValue());
  }
}
