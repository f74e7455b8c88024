package io.outbox.quarkus.runtime;

import io.quarkus.arc.Arc;
import io.quarkus.arc.InjectableContext.ContextState;
import io.quarkus.arc.ManagedContext;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;

/**
 * The request context of one call of a listener: an EntityManager outside a transaction needs one.
 */
final class ListenerRequest {

  private ListenerRequest() {}

  /** Calls a listener. If it answers later, the context lives until then. */
  static <T> T call(Callable<T> listener) throws Exception {
    ManagedContext request = Arc.container().requestContext();
    if (request.isActive()) {
      return listener.call();
    }
    request.activate();
    boolean answersLater = false;
    try {
      T answer = listener.call();
      if (answer instanceof CompletionStage<?> stage) {
        ContextState state = request.getState();
        stage.whenComplete((result, failure) -> request.destroy(state));
        answersLater = true;
      }
      return answer;
    } finally {
      if (answersLater) {
        request.deactivate(); // on this thread; Quarkus propagates it to others
      } else {
        request.terminate();
      }
    }
  }
}
