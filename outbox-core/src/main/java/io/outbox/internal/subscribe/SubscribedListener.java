package io.outbox.internal.subscribe;

import io.outbox.AsyncEventListener;
import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.EventListener;
import io.outbox.internal.AsyncListener;
import io.outbox.internal.PolicedListener;
import io.outbox.publish.Addressed;
import java.util.concurrent.CompletionStage;

/** Shows a subscription's listener the event instead of its copy. */
public abstract sealed class SubscribedListener implements Addressed {

  private final Object listener;

  private SubscribedListener(Object listener) {
    this.listener = listener;
  }

  /** Whether it is one, with or without a policy: only such a listener knows what a copy is. */
  static boolean is(EventListener listener) {
    EventListener plain = PolicedListener.plain(listener);
    return plain instanceof SubscribedListener
        || plain instanceof AsyncListener async && async.listener() instanceof SubscribedListener;
  }

  /** The user's. */
  public Object listener() {
    return listener;
  }

  @Override
  public String destinationOf(EventEnvelope copy) {
    return listener instanceof Addressed addressed
        ? addressed.destinationOf(Copies.originalOf(copy))
        : null;
  }

  /** What operators call it. */
  @Override
  public String toString() {
    if (listener instanceof Addressed) {
      return listener.toString();
    }
    String name = listener.getClass().getName();
    int lambda = name.indexOf("$$");
    String written = lambda < 0 ? name : name.substring(0, lambda);
    return written.substring(written.lastIndexOf('.') + 1);
  }

  static final class Sync extends SubscribedListener implements EventListener {
    private final EventListener listener;

    Sync(EventListener listener) {
      super(listener);
      this.listener = listener;
    }

    @Override
    public DispatchResult onEvent(EventEnvelope copy) throws Exception {
      return listener.onEvent(Copies.originalOf(copy));
    }
  }

  static final class Async extends SubscribedListener implements AsyncEventListener {
    private final AsyncEventListener listener;

    Async(AsyncEventListener listener) {
      super(listener);
      this.listener = listener;
    }

    @Override
    public CompletionStage<DispatchResult> onEvent(EventEnvelope copy) throws Exception {
      return listener.onEvent(Copies.originalOf(copy));
    }
  }
}
