package io.outbox.quarkus.runtime;

import io.outbox.DispatchResult;
import io.outbox.wiring.listener.AnnotatedListeners;
import io.outbox.wiring.listener.ListenerAddress;
import io.outbox.wiring.listener.ListenerMethod;
import jakarta.enterprise.invoke.Invoker;
import jakarta.enterprise.util.TypeLiteral;
import java.lang.reflect.Type;
import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * A listener method that was found when the application was built.
 *
 * @param where what it is, for messages
 * @param parameters its types, without type arguments
 * @param async whether the invoker returns a stage
 * @param invoker looks the bean up and calls the method, without reflection
 */
public record ListenerDeclaration(
    String where,
    ListenerAddress address,
    List<Class<?>> parameters,
    boolean async,
    Invoker<?, ?> invoker) {

  private static final Type STAGE = new TypeLiteral<CompletionStage<DispatchResult>>() {}.getType();

  void register(AnnotatedListeners listeners) {
    ListenerMethod method =
        ListenerMethod.of(where, parameters, async ? STAGE : DispatchResult.class);
    listeners.add(address, method.calledBy(this::invoke), where);
  }

  private Object invoke(Object[] arguments) throws Exception {
    return ListenerRequest.call(() -> invoker.invoke(null, arguments));
  }
}
