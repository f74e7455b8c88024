package io.outbox.internal.call;

import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.EventListener;
import io.outbox.dispatch.EventInterceptor;
import io.outbox.internal.AsyncListener;
import io.outbox.internal.OwnWork;
import io.outbox.internal.RepeatedWarning;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;

/** The interceptors around one call of a listener, from its beginning to its end. Thread-safe. */
public final class Interception {

  private final List<EventInterceptor> interceptors;
  private final EventEnvelope event;
  private final RepeatedWarning warning;
  private final List<EventInterceptor.Dispatch> begun = new ArrayList<>(0);
  private boolean ended;
  private DispatchResult result;
  private Throwable failure;

  Interception(List<EventInterceptor> interceptors, EventEnvelope event, RepeatedWarning warning) {
    this.interceptors = interceptors;
    this.event = event;
    this.warning = warning;
  }

  /** Returns the listener's result, or the {@link java.util.concurrent.CompletionStage} of it. */
  Object call(EventListener listener) throws Exception {
    if (interceptors.isEmpty()) {
      return start(listener, event);
    }
    try {
      return start(listener, begin());
    } finally {
      backwards(begun(), "returned", EventInterceptor.Dispatch::returned);
    }
  }

  private Object start(EventListener listener, EventEnvelope given) throws Exception {
    return listener instanceof AsyncListener async
        ? async.start(OwnWork.is(listener) ? event : given)
        : listener.onEvent(given);
  }

  private EventEnvelope begin() throws Exception {
    EventEnvelope given = event;
    for (EventInterceptor interceptor : interceptors) {
      interceptor.beforeDispatch(event);
      EventInterceptor.Dispatch dispatch = interceptor.around(given);
      if (dispatch != null) {
        add(dispatch);
        given = Objects.requireNonNull(dispatch.event(), "an interceptor gave no event");
      }
    }
    return given;
  }

  /** If it came back too late, its end was told to those before it only. */
  private void add(EventInterceptor.Dispatch dispatch) {
    synchronized (this) {
      begun.add(dispatch);
      if (!ended) {
        return;
      }
    }
    backwards(List.of(dispatch), "ended", late -> late.ended(result, failure));
  }

  private synchronized List<EventInterceptor.Dispatch> begun() {
    return begun.isEmpty() ? List.of() : List.copyOf(begun);
  }

  /** The listener has answered, or the call has failed. */
  void ended(DispatchResult result, Throwable failure) {
    if (interceptors.isEmpty()) {
      return;
    }
    List<EventInterceptor.Dispatch> told;
    synchronized (this) {
      ended = true;
      this.result = result;
      this.failure = failure;
      told = begun();
    }
    backwards(told, "ended", dispatch -> dispatch.ended(result, failure));
    Exception error =
        failure == null || failure instanceof Exception
            ? (Exception) failure
            : new IllegalStateException("the listener threw an error", failure);
    backwards(
        interceptors, "afterDispatch", interceptor -> interceptor.afterDispatch(event, error));
  }

  private <T> void backwards(List<T> all, String what, Consumer<T> call) {
    for (int i = all.size() - 1; i >= 0; i--) {
      try {
        call.accept(all.get(i));
      } catch (Throwable e) {
        warning.log(() -> what + " failed for event " + event.eventId(), e);
      }
    }
  }
}
