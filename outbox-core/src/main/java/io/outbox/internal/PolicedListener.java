package io.outbox.internal;

import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.EventListener;
import io.outbox.policy.ListenerPolicy;

/**
 * A listener with its policy, in a registry of listeners. The engine knows it and sees to both.
 * Each is different from all others: it has its own places.
 */
public final class PolicedListener implements EventListener {

  private final EventListener listener;
  private final ListenerPolicy policy;

  public PolicedListener(EventListener listener, ListenerPolicy policy) {
    this.listener = listener;
    this.policy = policy;
  }

  /** A listener without its policy, if it has one. */
  public static EventListener plain(EventListener listener) {
    return listener instanceof PolicedListener policed ? policed.listener : listener;
  }

  public ListenerPolicy policy() {
    return policy;
  }

  /** For callers that know nothing of policies. */
  @Override
  public DispatchResult onEvent(EventEnvelope envelope) throws Exception {
    return listener.onEvent(envelope);
  }

  @Override
  public String toString() {
    return listener + " under " + policy;
  }
}
