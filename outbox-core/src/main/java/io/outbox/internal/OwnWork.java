package io.outbox.internal;

import io.outbox.DispatchResult;
import io.outbox.EventListener;
import java.time.Duration;

/**
 * A listener that is the engine's own work, not a user's: it gets an event as it was written,
 * whatever interceptors make of it for others, and no setting for listeners makes the event DEAD.
 */
public interface OwnWork {

  /** Its answer to an event that is another listener's by now: where order counts, none passes. */
  DispatchResult FOR_ANOTHER = DispatchResult.retryAfter(Duration.ofMillis(1));

  /** Whether a listener in a registry is the engine's own. */
  static boolean is(EventListener listener) {
    return AsyncListener.plain(listener) instanceof OwnWork own && own.isOwnWork();
  }

  /** Whether it is; for one that may stand for either. */
  default boolean isOwnWork() {
    return true;
  }
}
