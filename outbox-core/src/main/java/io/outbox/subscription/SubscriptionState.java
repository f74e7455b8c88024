package io.outbox.subscription;

import io.outbox.operate.Count;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;

/**
 * How far a subscription is.
 *
 * @param waiting its pending copies
 * @param retrying those of them that have failed
 * @param dead its DEAD copies
 * @param oldestWaiting when its oldest pending copy was first due or replayed, or will be due; null
 *     if none waits
 * @param lag for how long that copy has been due; zero if none is
 */
public record SubscriptionState(
    Subscription subscription,
    Count waiting,
    Count retrying,
    Count dead,
    Instant oldestWaiting,
    Duration lag) {

  public SubscriptionState {
    Objects.requireNonNull(subscription, "subscription");
    Objects.requireNonNull(waiting, "waiting");
    Objects.requireNonNull(retrying, "retrying");
    Objects.requireNonNull(dead, "dead");
    Objects.requireNonNull(lag, "lag");
  }
}
