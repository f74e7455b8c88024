package io.outbox.internal;

import io.outbox.EventListener;

/**
 * A listener that is the engine's own work: it gets an event as it was written, whatever
 * interceptors make of it for others, and no setting for listeners makes the event DEAD.
 */
public interface OwnWork {

  /** Whether a listener in a registry is the engine's own. */
  static boolean is(EventListener listener) {
    return listener instanceof AsyncListener async && async.listener() instanceof OwnWork;
  }
}
