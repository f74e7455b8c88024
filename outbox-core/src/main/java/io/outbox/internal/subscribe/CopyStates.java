package io.outbox.internal.subscribe;

import io.outbox.model.EventStatus;
import io.outbox.operate.Count;
import io.outbox.spi.CopyCounts;
import io.outbox.spi.CopyCounts.OfType;
import io.outbox.subscription.Subscription;
import io.outbox.subscription.SubscriptionState;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;

/** Tells from counted copies how far each subscription is. */
public final class CopyStates {

  private final CopyCounts counted;
  private final Instant now;

  public CopyStates(CopyCounts counted, Instant now) {
    this.counted = counted;
    this.now = now;
  }

  public SubscriptionState of(Subscription subscription) {
    List<OfType> own =
        counted.counts().stream()
            .filter(one -> one.aggregateType().equals(subscription.copyType()))
            .filter(one -> one.eventType().equals(subscription.route().eventType()))
            .toList();
    long fresh = count(own, EventStatus.NEW);
    long retrying = count(own, EventStatus.RETRY);
    Instant oldest =
        own.stream()
            .map(OfType::oldest)
            .filter(Objects::nonNull)
            .min(Instant::compareTo)
            .orElse(null);
    boolean late = oldest != null && oldest.isBefore(now);
    return new SubscriptionState(
        subscription,
        count(fresh + retrying, counted.allPending()),
        count(retrying, counted.allPending()),
        count(count(own, EventStatus.DEAD), counted.allDead()),
        oldest,
        late ? Duration.between(oldest, now) : Duration.ZERO);
  }

  private static long count(List<OfType> own, EventStatus status) {
    return own.stream().filter(one -> one.status() == status).mapToLong(OfType::count).sum();
  }

  private static Count count(long value, boolean all) {
    return all ? Count.exactly(value) : Count.atLeast(value);
  }
}
